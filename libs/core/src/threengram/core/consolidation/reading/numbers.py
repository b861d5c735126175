"""Numbers as people write them: `1,250.50`, `1.250,50`, `2 500`, `8万5千`, `三十`, and number words of a language."""

import re
from decimal import Decimal

from threengram.core.consolidation.reading.lexicon import Lexicon

_HAN_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_POWERS = {"十": 10, "百": 100, "千": 1000}
_HAN_MYRIADS = {"万": 10**4, "萬": 10**4, "만": 10**4, "億": 10**8, "亿": 10**8, "억": 10**8}
_HAN = "零〇一二两兩三四五六七八九十百千万萬億亿"

DIGITS = r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*"
"""Digits with any separators; which of them mean thousands depends on the language."""

HAN_NUMBER = rf"(?:\d+(?:\.\d+)?[万萬億亿千만억](?:\d+[千百]?)?|[{_HAN}]+(?:\d+)?)"
_HAN_PARTS = re.compile(rf"\d+(?:\.\d+)?|[{_HAN}만억]")


def parse(text: str, lexicon: Lexicon) -> Decimal:
    """The number that digits or Han numerals stand for."""
    if any(char in _HAN + "만억" for char in text):
        return _han(text)
    return _digits(re.sub(r"[ \u00a0\u202f]", "", text), has_decimal_comma=lexicon.has_decimal_comma)


def _digits(text: str, *, has_decimal_comma: bool) -> Decimal:
    decimal, thousands = (",", ".") if has_decimal_comma else (".", ",")
    whole, point, fraction = text.partition(decimal)
    groups = whole.split(thousands)
    if len(groups) > 1 and not all(len(group) == 3 for group in groups[1:]):
        # No thousands: the other language's decimal point, or a version.
        return Decimal("".join([groups[0], ".", *groups[1:]]))
    if decimal in fraction:
        return Decimal(text.replace(decimal, "", text.count(decimal) - 1).replace(decimal, "."))
    return Decimal("".join(groups) + (f".{fraction}" if point else ""))


def _han(text: str) -> Decimal:
    total, section, digit = Decimal(0), Decimal(0), Decimal(0)
    for part in _HAN_PARTS.findall(text):
        if part in _HAN_MYRIADS:
            total += (section + digit or Decimal(1)) * _HAN_MYRIADS[part]
            section = digit = Decimal(0)
        elif part in _HAN_POWERS:
            section += (digit or Decimal(1)) * _HAN_POWERS[part]
            digit = Decimal(0)
        else:
            digit = Decimal(_HAN_DIGITS[part]) if part in _HAN_DIGITS else Decimal(part)
    return total + section + digit


def canonical(number: Decimal) -> str:
    """Equal for equal numbers: no trailing zeros, no exponent."""
    return format(number.normalize(), "f")
