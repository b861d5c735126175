"""Where a text is cut: never inside what a reader takes for one character."""

import pytest

from threengram.core.memories.excerpt import Excerpt, excerpt, within_bytes

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
THUMB = "\U0001f44d\U0001f3fd"
FLAG = "\U0001f1f5\U0001f1f9"
HEART = "\u2764\ufe0f"
KEYCAP = "1\ufe0f\u20e3"
HINDI = "\u0915\u094d\u0937\u093f"
ACCENTED = "q\u0307\u0323"


@pytest.mark.parametrize("character", [FAMILY, THUMB, FLAG, HEART, KEYCAP, HINDI, ACCENTED])
@pytest.mark.parametrize("before", ["", "a", FLAG, FAMILY])
def test_a_character_of_several_code_points_is_shown_whole_or_not_at_all(character: str, before: str) -> None:
    text = before + "x" + character + character + "y" * 50
    ends = {len(before) + 1 + times * len(character) for times in (0, 1, 2)}
    for room in range(len(before) + 2, len(text)):
        shown = excerpt(text, len(text), room)
        assert shown.is_truncated
        assert len(shown.text) <= room
        end = len(shown.text) - 1
        assert text.startswith(shown.text[:end])
        assert end in ends or end > max(ends), f"cut at {end} of {[hex(ord(char)) for char in text[:end]]}"


def test_bytes_are_bounded_at_whole_characters_too() -> None:
    body = Excerpt("x" + FAMILY * 20, is_truncated=False)
    for room in range(12, 400, 7):
        shown = within_bytes(body, room)
        assert not shown.is_truncated or len(shown.text) < 2 or (len(shown.text) - 2) % len(FAMILY) == 0


def test_a_text_of_nothing_but_marks_is_cut_all_the_same() -> None:
    shown = excerpt("e" + "\u0301" * 5_000, 5_001, 600)
    assert len(shown.text) == 600
