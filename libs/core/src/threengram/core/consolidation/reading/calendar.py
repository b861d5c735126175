"""Dates, weekdays and times of day, in digits and in the words of a language.

A date key leaves out what the text leaves out: `2026-03-01`, `--03-01` without a year, `--03` a month alone, `2026` a
year alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from threengram.core.consolidation.reading import numbers
from threengram.core.consolidation.reading.lexicon import Lexicon
from threengram.core.consolidation.reading.tokens import Kind, Token
from threengram.core.lexical.folding import fold

_HAN_SMALL = "[一二两三四五六七八九十]"
_ISO = r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?!\d)"
_DOTTED = r"(?<![\d.])(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.(?:\s?(?P<y>\d{4}))?(?!\d)"
_DOTTED_WITH_YEAR = r"(?<![\d.])(?P<d>\d{1,2})[./](?P<m>\d{1,2})[./](?P<y>\d{4})(?!\d)"
_HAN_DATE = (
    rf"(?:(?P<y>\d{{4}})年)?(?P<m>\d{{1,2}}|{_HAN_SMALL}{{1,2}})月(?:(?P<d>\d{{1,2}}|{_HAN_SMALL}{{1,3}})[日号號])?"
)
_QUARTER = r"\b(?P<q>Q[1-4])(?:\s?/?(?P<y>\d{4}))?\b"
_NO_UNIT = r"(?!\s?(?:(?:[mck]?m|k?g|m?s|[hltw]|kwh?|eur|usd|gb|mb|tb)\b|[€$%°\d]))"
_YEAR = rf"(?<![\w.,:/-])(?P<y>(?:19|20)\d\d)(?:年)?(?![\w,:/-]|\.\d){_NO_UNIT}"
_AM_PM = r"(?P<half>am|pm|a\.m\.|p\.m\.)\b"
_OF_DAY = r"Uhr|h|in the (?P<part>morning|afternoon|evening)"
_CLOCK = rf"(?<![\d.:])(?P<h>\d{{1,2}})[:：](?P<min>\d{{2}})(?!\d)(?:\s?{_AM_PM})?(?:\s?(?:{_OF_DAY})\b)?"
_HALF = rf"\b(?P<h>\d{{1,2}})\s?{_AM_PM}"
_UHR = r"\b(?P<h>\d{1,2})\s?Uhr(?:\s(?P<min>\d{2})\b)?"
_UHR_RANGE = r"\b(?P<h>\d{1,2})\s?(?:bis|-)\s?(?P<until>\d{1,2})\s?Uhr\b"
_HAN_CLOCK = (
    r"(?P<part>午前|午後|上午|下午|晚上|凌晨|早上|오전|오후)?\s?"
    rf"(?P<h>\d{{1,2}}|{_HAN_SMALL}{{1,3}})(?:点|點|時|时|시)(?!間|间|\s?간)"
    r"(?:(?P<min>\d{1,2})分|(?P<half_hour>半))?"
)
_FRENCH_CLOCK = r"(?P<h>\d{1,2})\s?h(?:\s?(?P<min>\d{2}))?\b"
_HOUR_BEHIND = {"es": r"\ba las\s", "it": r"\balle\s"}
_ENDS_HOUR = r"(?=\s?(?:[.,;!?)]|$)|\s(?:y|e|de|del|di|da|en|in|por|per|los|las|il|ogni|cada|ma|pero)\b)(?![.,:]\d)"
"""What is no noun, or `a las 8 personas` would be a time."""
_NOON = {"noon": 12, "midday": 12, "mittag": 12, "midi": 12, "mediodia": 12, "mezzogiorno": 12, "midnight": 0}
_LATE = frozenset({"pm", "p.m.", "午後", "下午", "晚上", "오후", "afternoon", "evening"})


@dataclass(frozen=True, slots=True)
class Span:
    """A token and where its text stood."""

    start: int
    end: int
    token: Token


@lru_cache(maxsize=64)
def _patterns(name: str, months: tuple[str, ...], weekdays: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    month = "|".join(sorted(months, key=len, reverse=True)) or r"(?!)"
    weekday = "|".join(sorted(weekdays, key=len, reverse=True)) or r"(?!)"
    joint = r"\s(?:de\s|di\s|del\s)?"
    ordinal = r"(?:\.|st|nd|rd|th|er|º)?"
    boundary = "" if name in ("zh", "ja", "ko") else r"\b"
    day_month = rf"\b(?P<d>\d{{1,2}}){ordinal}{joint}(?P<mon>{month})\b(?:{joint}(?P<y>\d{{4}}))?"
    month_day = rf"\b(?P<mon>{month})\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s?[:%])(?:,?\s(?P<y>\d{{4}}))?"
    found = [
        ("date", _ISO), ("date", _DOTTED if name == "de" else _DOTTED_WITH_YEAR), ("date", _HAN_DATE),
        ("date", day_month), ("date", month_day),
        ("date", rf"\b(?P<mon>{month})\b(?:{joint}(?P<y>\d{{4}}))?"), ("quarter", _QUARTER), ("clock", _CLOCK),
        ("clock", _HALF), ("clock", _UHR_RANGE), ("clock", _UHR), ("clock", _HAN_CLOCK),
        ("weekday", rf"{boundary}(?P<wd>{weekday}){boundary}"),
        ("date", _YEAR), ("noon", rf"\b(?P<noon>{'|'.join(_NOON)})\b"),
    ]  # fmt: skip
    if name == "fr":
        found.insert(9, ("clock", rf"(?<=\ba\s){_FRENCH_CLOCK}"))
    if name in _HOUR_BEHIND:
        found.insert(9, ("clock", rf"(?<={_HOUR_BEHIND[name]})(?P<h>\d{{1,2}}){_ENDS_HOUR}"))
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in found)


def find(text: str, folded: str, lexicon: Lexicon) -> Iterator[Span]:
    """Every date, weekday and time, most specific first; spans may overlap. `folded` has the length of `text`."""
    for kind, pattern in _patterns(lexicon.name, tuple(lexicon.months), tuple(lexicon.weekdays)):
        for match in pattern.finditer(folded):
            token = _token(kind, match, text[match.start() : match.end()], lexicon)
            if token is not None:
                yield Span(match.start(), match.end(), token)


def _token(kind: str, match: re.Match[str], text: str, lexicon: Lexicon) -> Token | None:
    parts = match.groupdict()
    if kind == "weekday":
        return Token(text, f"weekday {lexicon.weekdays[fold(parts['wd'])]}", Kind.WEEKDAY, slot="weekday")
    if kind == "noon":
        return Token(text, f"time {_NOON[fold(parts['noon'])]:02d}:00", Kind.TIME, slot="time")
    if kind == "quarter":
        return Token(text, f"{parts['y'] or '-'}-{parts['q'].upper()}", Kind.DATE, slot="quarter")
    return _clock(parts, text, lexicon) if kind == "clock" else _date(parts, text, lexicon)


def _date(parts: dict[str, str | None], text: str, lexicon: Lexicon) -> Token | None:
    name = parts.get("mon")
    if lexicon.name == "en" and name in ("may", "march") and not (text[0].isupper() or text[0].isdigit()):
        return None
    month = lexicon.months[fold(name)] if name else _small(parts.get("m"), lexicon)
    day = _small(parts.get("d"), lexicon)
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    key = (parts.get("y") or "-") + (f"-{month:02d}" if month else "") + (f"-{day:02d}" if day else "")
    return Token(text, key, Kind.DATE, slot="day" if day else "month" if month else "year")


def _clock(parts: dict[str, str | None], text: str, lexicon: Lexicon) -> Token | None:
    hour, minute = _small(parts["h"], lexicon), _small(parts.get("min"), lexicon) or 0
    if hour is None or hour > 24 or minute > 59:
        return None
    if parts.get("half_hour"):
        minute = 30
    is_late = bool(_LATE & {str(parts.get("half")).lower(), str(parts.get("part")).lower()})
    if is_late and hour < 12:
        hour += 12
    until = _small(parts.get("until"), lexicon)
    key = f"time {hour:02d}:{minute:02d}" + (f"-{until:02d}:00" if until is not None else "")
    return Token(text, key, Kind.TIME, slot="time")


def _small(text: str | None, lexicon: Lexicon) -> int | None:
    return None if text is None else int(numbers.parse(text, lexicon))
