"""What a caller typed cannot leave the block it is shown in."""

import json

from hypothesis import given
from hypothesis import strategies as st

from threengram.gateway.fenced import fenced


@given(st.text() | st.text(alphabet="`\n\u2028\u2029\u0085\u202e ~a"))
def test_any_text_stays_on_one_line_between_fences_that_it_does_not_contain(text: str) -> None:
    opening, body, closing = fenced({"project": text}).splitlines()

    assert opening == f"{closing}json"
    assert set(closing) == {"`"}
    assert len(closing) >= 3
    assert closing not in body
    assert json.loads(body) == {"project": text}


@given(st.text())
def test_nothing_in_a_block_is_invisible(text: str) -> None:
    _, body, _ = fenced({"project": text}).split("\n")

    assert body.isprintable()


def test_plain_text_has_the_shortest_fence_and_reads_as_it_is() -> None:
    assert fenced({"project": "Größe 漢字 😀"}) == '```json\n{"project":"Größe 漢字 😀"}\n```'
