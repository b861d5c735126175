"""How texts are read: numbers, units, dates, negations, names."""

import pytest

from threengram.core.consolidation.reading import Kind, language_name, read
from threengram.core.consolidation.reading.tokens import Token


def content(text: str) -> list[Token]:
    reading = read("", text, language_name(text))
    return [token for clause in reading.clauses for token in clause if token.is_content]


def keys(text: str, *kinds: Kind) -> list[str]:
    return [token.key for token in content(text) if not kinds or token.kind in kinds]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pool is 2.5 m deep.", "The pool is 250 cm deep."),
        ("The race is 10 km long.", "The race is 10,000 m long."),
        ("The timeout is 30 seconds.", "The timeout is 30 s."),
        ("The limit is 1,250 EUR.", "The limit is €1250."),
        ("It restarts every 60 seconds.", "It restarts every 1 minute."),
        ("Wir haben 1.250 Euro auf dem Konto.", "Wir haben 1250 € auf dem Konto."),
        ("Le loyer est de 2 500 euros.", "Le loyer est de 2500 €."),
        ("The commute takes half an hour.", "The commute takes 30 minutes."),
        ("家賃は8万5千円です。", "家賃は85000円です。"),
        ("房租每月三千元。", "房租每月3000元。"),
        ("월세는 70만원이다.", "월세는 700000원이다."),
        ("The disk has 2 TB.", "The disk has 2000GB"),
    ],
)
def test_equal_quantities_have_equal_keys(one: str, other: str) -> None:
    assert keys(one, Kind.QUANTITY) == keys(other, Kind.QUANTITY) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The parcel weighs 12 kg.", "The parcel costs 12 EUR."),
        ("The truck is 7 m long.", "The truck weighs 7 t."),
        ("The plan costs $9.", "The plan costs €9."),
        ("The server has 16 cores.", "The server has 16 disks."),
    ],
)
def test_the_same_number_of_something_else_is_another_key_in_another_slot(one: str, other: str) -> None:
    measured = [
        [token for token in content(text) if token.kind in (Kind.QUANTITY, Kind.NUMBER)] for text in (one, other)
    ]
    assert [len(tokens) for tokens in measured] == [1, 1]
    assert measured[0][0].key != measured[1][0].key
    assert measured[0][0].slot != measured[1][0].slot


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Renew the visa by 1 March 2026.", "2026-03-01"),
        ("Renew the visa by March 1, 2026.", "2026-03-01"),
        ("Renew the visa by 2026-03-01.", "2026-03-01"),
        ("Das Visum bis zum 1.3.2026 verlängern.", "2026-03-01"),
        ("Das Visum bis zum 1. März 2026 verlängern.", "2026-03-01"),
        ("Renouveler le visa avant le 1 mars 2026.", "2026-03-01"),
        ("Renovar el visado antes del 1 de marzo de 2026.", "2026-03-01"),
        ("2026年3月1日之前续签。", "2026-03-01"),
        ("2026年3月1日までに更新する。", "2026-03-01"),
        ("Her birthday is December 10.", "--12-10"),
        ("In April there was snow.", "--04"),
        ("Revenue in 2023 was fine.", "2023"),
        ("In Q3 we hire.", "--Q3"),
    ],
)
def test_a_date_leaves_out_what_the_text_leaves_out(text: str, key: str) -> None:
    assert keys(text, Kind.DATE) == [key]


@pytest.mark.parametrize(
    "text",
    [
        "It opens at 18:00.",
        "It opens at 6 pm.",
        "Es öffnet um 18 Uhr.",
        "La boutique ouvre à 18 h.",
        "六点开门，下午6点。",
    ],
)
def test_times_of_day_are_read_in_every_spelling(text: str) -> None:
    assert keys(text, Kind.TIME)[-1] == "time 18:00"


def test_a_modal_verb_is_no_month_and_a_year_of_something_is_a_quantity() -> None:
    assert keys("You may march on.", Kind.DATE) == []
    assert keys("The disk holds 2000 GB.", Kind.DATE) == []


def test_versions_and_identifiers_are_kept_as_written() -> None:
    assert keys("The app needs Node 1.10 from eu-west-1 at 10.0.0.1.", Kind.NUMBER, Kind.NAME) == [
        "node", "1.10 label node", "eu-west-1", "10.0.0.1",
    ]  # fmt: skip


def test_a_language_that_is_not_known_still_shows_its_quantities() -> None:
    text = "Аренда стоит 45000 рублей в месяц."
    assert language_name(text) == ""
    assert keys(text, Kind.QUANTITY) == ["45000 money_RUB"]


@pytest.mark.parametrize(
    "part", ["_", "a_", "a.", "a-", "a1-", "a.b_c/", "1 ", "123 ", "1,", "1.", "@", "a@", '"', "1:", "一", "の1", "不"]
)
def test_no_repetition_makes_a_text_hard_to_read(part: str) -> None:
    for text in (part * 1_000, f"a{part * 1_000}é"):
        assert read("a topic", text, language_name(text)).keys


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The rent is due on Monday.", "en"), ("Die Miete ist am Montag fällig.", "de"),
        ("Le loyer est dû le lundi.", "fr"), ("El alquiler vence el lunes.", "es"),
        ("L'affitto scade il lunedì.", "it"), ("O aluguel vence na segunda-feira.", "pt"),
        ("房租周一到期。", "zh"), ("家賃は月曜日が期限です。", "ja"), ("월세는 월요일까지이다.", "ko"),
    ],
)  # fmt: skip
def test_the_language_is_seen_by_script_and_function_words(text: str, language: str) -> None:
    assert language_name(text) == language
