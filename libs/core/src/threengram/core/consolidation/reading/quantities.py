"""Numbers with what they measure: quantities with units, money, versions and other labelled numbers, counted things."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from threengram.core.consolidation.reading import numbers
from threengram.core.consolidation.reading.calendar import Span
from threengram.core.consolidation.reading.lexicon import Lexicon
from threengram.core.consolidation.reading.tokens import Kind, Token
from threengram.core.consolidation.reading.units import CURRENCY_SIGNS, Unit, unit_named, unspaced_names

_UNSPACED = "|".join(map(re.escape, unspaced_names()))
_MAGNITUDES = {
    "k": 10**3, "thousand": 10**3, "million": 10**6, "millionen": 10**6, "millions": 10**6, "millones": 10**6,
    "billion": 10**9, "mio": 10**6,
}  # fmt: skip
_SYMBOL = r"[A-Za-z°µ%€$£¥][A-Za-z°/]*[23]?"
_PHONE = re.compile(r"(?<![\w.,-])\+?\d{2,5}(?:[ -]\d{2,5}){1,4}(?![\w,.]?\d)")
_NUMERAL = r"\d+(?:[.,]\d+)?"
_RANGE = re.compile(
    rf"(?<!from )(?<!von )(?<!de )(?<![\w.,:/-])({_NUMERAL})\s?(?:-|~|to|bis|a|à|至|から)\s?({_NUMERAL})(?![.,:/-]?\d)"
)
_RATING = re.compile(
    r"(?<![\w.,/])(\d{1,3}(?:[.,]\d+)?)(?:/| out of | von | sur | su | sobre | van de )(5|10|100)(?![\w/]|[.,]\d)"
)


@lru_cache(maxsize=64)
def _number_pattern(name: str, words: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(sorted(words, key=len, reverse=True)) or r"(?!)"
    han = numbers.HAN_NUMBER if name in ("zh", "ja", "ko") else r"(?!)"
    before = "A-Za-z0-9" if name in ("zh", "ja", "ko") else r"\w"
    return re.compile(
        rf"(?P<sign>[€$£¥])?\s?(?:(?P<han>{han})|(?<![{before}.,:/-])(?P<digits>{numbers.DIGITS})|\b(?P<word>{listed})\b)",
        re.IGNORECASE,
    )


def measured(text: str, folded: str, lexicon: Lexicon) -> Iterator[Span]:
    """Quantities with a unit, and phone numbers."""
    return (span for span in _found(text, folded, lexicon) if span.token.slot)


def bare(text: str, folded: str, lexicon: Lexicon) -> Iterator[Span]:
    """Numbers without a unit, as tokens without a slot, for `reading` to label."""
    return (span for span in _found(text, folded, lexicon) if not span.token.slot)


def _found(text: str, folded: str, lexicon: Lexicon) -> Iterator[Span]:
    for match in _RATING.finditer(text):
        yield Span(match.start(), match.end(), _rating(match))
    for match in _RANGE.finditer(text):
        unit, after = _unit_behind(text, match.end(), lexicon)
        if unit is not None:
            yield Span(match.start(), after, _range(text[match.start() : after], match, unit, lexicon))
    for match in _PHONE.finditer(text):
        if len(re.sub(r"\D", "", match[0])) >= 7 and ("-" in match[0] or match[0].count(" ") > 1):
            yield Span(match.start(), match.end(), _phone(match[0]))
    for match in _number_pattern(lexicon.name, tuple(lexicon.numbers)).finditer(folded):
        start, end = match.start() + (match[0][0] == " "), match.end()
        value, end = _scaled(_value(match, lexicon), folded, end)
        unit, after = _unit(match, text, end, lexicon)
        if match["word"] in lexicon.roles and (unit is None or unit.dimension != "duration"):
            # `una semana` is one week, `una persona` need not be one.
            continue
        if unit is not None:
            yield Span(start, after, _quantity(text[start:after], value, unit))
        elif not match["han"]:
            number = _as_written(match["digits"], value)
            yield Span(start, end, Token(text[start:end], number, Kind.NUMBER, amount=number))


def _value(match: re.Match[str], lexicon: Lexicon) -> Decimal:
    if match["word"]:
        return Decimal(str(lexicon.numbers[match["word"].lower()]))
    return numbers.parse(match["han"] or match["digits"], lexicon)


def _as_written(digits: str | None, value: Decimal) -> str:
    """`1.10` is not `1.1` when it turns out to be a version, so a dotted number keeps its zeros."""
    return digits if digits and re.fullmatch(r"\d+(?:\.\d+)+", digits) else numbers.canonical(value)


def _scaled(value: Decimal, folded: str, end: int) -> tuple[Decimal, int]:
    follows = re.match(r"\s?([a-z]+)\.?(?![\w])", folded[end : end + 12])
    if follows and follows[1] in _MAGNITUDES and (len(follows[1]) > 1 or follows[0][0] == "k"):
        return value * _MAGNITUDES[follows[1]], end + follows.end()
    return value, end


def _unit(match: re.Match[str], text: str, end: int, lexicon: Lexicon) -> tuple[Unit | None, int]:
    return (CURRENCY_SIGNS[match["sign"]], end) if match["sign"] else _unit_behind(text, end, lexicon)


def _unit_behind(text: str, end: int, lexicon: Lexicon) -> tuple[Unit | None, int]:
    follows = re.match(rf"\s?(?:{_UNSPACED})", text[end : end + 10])
    if follows:
        return unit_named(follows[0].strip()), end + follows.end()
    follows = re.match(rf"[\s-]?({_SYMBOL}(?![A-Za-z0-9_\u00c0-\u024f])|[^\W\d_]+)", text[end : end + 24])
    if follows is None:
        return None, end
    name = follows[1]
    unit = unit_named(name) or unit_named(lexicon.without_ending(name))
    return unit, end + follows.end()


def _quantity(text: str, value: Decimal, unit: Unit) -> Token:
    return Token(
        text,
        f"{numbers.canonical(value * unit.factor)} {unit.dimension}",
        Kind.QUANTITY,
        slot=unit.dimension,
        amount=numbers.canonical(value),
        unit=unit.symbol,
    )


def _range(text: str, match: re.Match[str], unit: Unit, lexicon: Lexicon) -> Token:
    """`3 to 5 days` is one value of two ends."""
    ends = [numbers.parse(match[group], lexicon) for group in (1, 2)]
    based = "-".join(numbers.canonical(end * unit.factor) for end in ends)
    amount = "-".join(map(numbers.canonical, ends))
    return Token(text, f"{based} {unit.dimension}", Kind.QUANTITY, slot=unit.dimension, amount=amount, unit=unit.symbol)


def _rating(match: re.Match[str]) -> Token:
    """`4.5/5` and `4.5 out of 5`."""
    amount = match[1].replace(",", ".")
    slot = f"rating_of_{match[2]}"
    return Token(match[0], f"{amount} {slot}", Kind.QUANTITY, slot=slot, amount=amount, unit=f"of_{match[2]}")


def _phone(text: str) -> Token:
    return Token(text, re.sub(r"\D", "", text), Kind.NUMBER, slot="phone")
