"""A memory as it is read: its topic and its clauses, with numbers labelled by what stands beside them."""

from dataclasses import dataclass, replace
from functools import lru_cache

from threengram.core.consolidation.reading.languages import LANGUAGES, UNKNOWN, language_of
from threengram.core.consolidation.reading.lexicon import Lexicon, words
from threengram.core.consolidation.reading.parting import parted
from threengram.core.consolidation.reading.scanning import normalise, scan
from threengram.core.consolidation.reading.tokens import VALUES, Clause, Kind, Role, Token

MAX_READ_CHARS = 4_000
"""A longer body says too much to be one statement: it is never compared, and claims are looked for up to here."""

_BY_NAME = {lexicon.name: lexicon for lexicon in (*LANGUAGES, UNKNOWN)}
_BEFORE_NOUNS = frozenset({Role.ARTICLE, Role.GENITIVE, Role.PREPOSITION})
_NEW = words("new neue neuer neues nouveau nouvelle nuevo nueva nuovo nuova novo nova nieuw nieuwe nowy nowa nowe")
_MIN_ANNOUNCED = 4
_YESTERDAY = words("yesterday gestern hier ayer ieri ontem gisteren wczoraj 昨日 昨天")
_PASSIVE = frozenset({"wurde", "wurden"})
_TEMPORAL = frozenset({Kind.DATE, Kind.WEEKDAY, Kind.TIME})


@dataclass(frozen=True, slots=True)
class Reading:
    """`topic` is one clause, whatever its punctuation; `language` is empty where no words are known."""

    topic: Clause
    clauses: tuple[Clause, ...]
    language: str

    @property
    def keys(self) -> frozenset[str]:
        """All that is said anywhere."""
        return frozenset(token.key for clause in (self.topic, *self.clauses) for token in clause if token.is_content)


def read(topic: str, content: str, language: str) -> Reading:
    """The text, read in a language that `language_name` gave."""
    return _read(topic, content[:MAX_READ_CHARS], language)


def language_name(*texts: str) -> str:
    """The language of texts that are to be compared with each other."""
    return language_of(*(text[:MAX_READ_CHARS] for text in texts)).name


def lexicon_named(language: str) -> Lexicon:
    """What is known about the words of a language."""
    return _BY_NAME[language]


@lru_cache(maxsize=4_096)
def _read(topic: str, content: str, language: str) -> Reading:
    lexicon = _BY_NAME[language]
    of_topic = [token for clause in scan(normalise(topic), lexicon) for token in clause]
    clauses = (_labelled(clause, lexicon) for clause in scan(normalise(content), lexicon))
    parts = tuple(part for clause in clauses if clause for part in parted(clause))
    return Reading(_labelled(of_topic, lexicon), parts, language)


def _labelled(clause: list[Token], lexicon: Lexicon) -> Clause:
    """The clause once every token knows its neighbours."""
    tokens = _without_since(clause)
    for position, token in enumerate(tokens):
        before = tokens[position - 1] if position else None
        after = tokens[position + 1] if position + 1 < len(tokens) else None
        if token.kind is Kind.NUMBER and not token.slot:
            tokens[position] = _numbered(token, before, after, lexicon)
        elif token.kind is Kind.WORD and token.is_pivot and before is not None and before.role in _BEFORE_NOUNS:
            tokens[position] = replace(token, is_pivot=False)
        elif token.is_happening and token.role is None and before is not None and before.role is Role.ARTICLE:
            # `the run`, `il corso`: no verb.
            tokens[position] = replace(token, is_happening=False)
        elif token.kind is Kind.WORD and before is not None and before.role is Role.TITLE:
            tokens[position] = replace(token, kind=Kind.NAME, slot="name")
        elif token.role is Role.TITLE and not lexicon.is_spaced and before is not None and before.kind is Kind.WORD:
            tokens[position - 1] = replace(before, kind=Kind.NAME, slot="name")
        elif (
            token.kind is Kind.WORD and before is not None and before.role is Role.COPULA and _is_person(token, lexicon)
        ):
            tokens[position] = replace(token, kind=Kind.NAME, slot="name")
        elif token.role is Role.DEADLINE and not lexicon.is_spaced and _is_former(before, after):
            tokens[position] = Token(token.text, token.key, Kind.CONTRAST, slot="contrast")
        elif token.role is Role.NO_LONGER and _is_alone(token, tokens[:position], lexicon):
            tokens[position] = replace(token, role=Role.SOFT)
    return tuple(_announced(_changed(tokens)))


def _changed(tokens: list[Token]) -> list[Token]:
    """Where it tells of a change, `wurde` is no `würde`, and that it was yesterday is no part of the value."""
    if not any(token.role is Role.CHANGE for token in tokens):
        return tokens
    if tokens[-1].key in _YESTERDAY:
        tokens = tokens[:-1]
    return [replace(token, role=Role.FUNCTION) if token.text.lower() in _PASSIVE else token for token in tokens]


def _announced(tokens: list[Token]) -> list[Token]:
    """`New phone number of the plumber: 555 0100` says that the number changed; `New members: 12` counts new ones."""
    if len(tokens) < _MIN_ANNOUNCED or tokens[0].key not in _NEW or tokens[-2].key != ":":
        return tokens
    value = tokens[-1]
    if value.kind not in VALUES or value.slot.startswith(("count", "number", "label")):
        return tokens
    return [replace(tokens[0], kind=None, role=Role.CHANGE, slot=""), *tokens[1:]]


def _numbered(token: Token, before: Token | None, after: Token | None, lexicon: Lexicon) -> Token:
    """A bare number by the name or noun it follows (`PostgreSQL 16`, `port 8080`), else by what it counts."""
    labels = before is not None and (before.kind is Kind.NAME or before.key in lexicon.labels)
    counts = after is not None and after.kind is Kind.WORD and not after.is_pivot
    if before is not None and labels:
        slot = f"label {before.key}"
    elif after is not None and counts:
        slot = f"count {after.key}"
    elif before is not None and before.is_content:
        slot = f"label {before.key}"
    else:
        slot = "number"
    return replace(token, slot=slot, key=f"{token.key} {slot}")


def _is_former(before: Token | None, after: Token | None) -> bool:
    """Whether a word for "before" stands in front of a noun and behind no time: `前负责人` is who was in charge."""
    is_timed = before is not None and before.kind in VALUES
    return not is_timed and after is not None and after.kind in (Kind.WORD, Kind.NAME)


def _is_alone(token: Token, before: list[Token], lexicon: Lexicon) -> bool:
    """Whether a word for "no longer" lacks the companion it needs to mean that."""
    needs_one = bool(lexicon.companions) and " " not in token.key
    return needs_one and not any(other.key in lexicon.companions for other in before)


def _is_person(token: Token, lexicon: Lexicon) -> bool:
    """Whether it is written like a full name, in a language that has no capitals to show one."""
    return token.key[0] in lexicon.surnames and 2 <= len(token.key) <= 3 and token.key not in lexicon.classes


def _is_first_day(behind: list[Token]) -> bool:
    """Whether a date follows that is no beginning of a range: `from March the rent is`, not `from 3 to 9 March`."""
    if not behind or behind[0].kind is not Kind.DATE:
        return False
    return not any(token.role in (Role.PREPOSITION, Role.DEADLINE) for token in behind[1:2])


def _without_since(clause: list[Token]) -> list[Token]:
    """Without the date since which something holds: that is when it was said, not what."""
    kept: list[Token] = []
    is_since = is_dated = False
    for position, token in enumerate(clause):
        begins = token.role is Role.SINCE or (
            token.role is Role.FROM and _is_first_day(clause[position + 1 : position + 4])
        )
        is_temporal = token.kind in _TEMPORAL
        # The date goes, and what leads to it; `from May at 16:00` keeps the hour.
        is_since = begins or (is_since and (is_temporal or not (token.is_content or is_dated)))
        is_dated = is_since and is_temporal
        if not is_since:
            kept.append(token)
    return kept
