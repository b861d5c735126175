"""A newer memory whose topic is the older one's with a word of change behind it: `Tech rehearsal moved`."""

from threengram.core.consolidation.reading import Reading
from threengram.core.consolidation.reading.lexicon import words
from threengram.core.consolidation.reading.tokens import VALUES, Kind, Role, Token
from threengram.core.lexical.folding import fold

_REVISED = words(
    """revised revision corrected cut moved changed updated extended shortened rescheduled verschoben geändert gekürzt
    aktualisiert überarbeitet korrigiert révisé révisée modifié modifiée reporté reportée corrigé revisado revisada
    actualizado actualizada corregido aplazado aplazada aggiornato aggiornata rivisto rivista atualizado atualizada
    revisto revista 改为 改成 调整 更新 変更 改定 변경 수정"""
)


def announces_revision(older: Reading, newer: Reading) -> bool:
    """Whether the topic says so, and both texts hold a value of one sort, so that there is something to replace."""
    topic = {token.key for token in older.topic if token.is_content}
    if not topic or not topic <= {token.key for token in newer.topic if token.is_content}:
        return False
    extra = [token for token in newer.topic if not (token.is_content and token.key in topic) and token.key not in ",:"]
    if not extra or not _says_change(extra) or _tells_apart(older, newer):
        return False
    return bool(_measured(older) & _measured(newer))


def _tells_apart(older: Reading, newer: Reading) -> bool:
    """Whether a contrast differs, or both texts name something that the other one doesn't know."""
    alone = [
        {token.kind for clause in one.clauses for token in clause if token.is_content and token.key not in other.keys}
        for one, other in ((older, newer), (newer, older))
    ]
    if Kind.CONTRAST in alone[0] | alone[1] or all(Kind.NAME in kinds for kinds in alone):
        return True
    return _begins_alone(older, newer) and _begins_alone(newer, older)


def _begins_alone(reading: Reading, other: Reading) -> bool:
    """Whether the text begins with a word, perhaps a name, that the other one doesn't know."""
    first = reading.clauses[0][0] if reading.clauses else None
    return first is not None and first.is_content and first.key not in other.keys


def _says_change(extra: list[Token]) -> bool:
    """Whether nothing but words of change was added, apart from words that only connect."""
    changes = [token for token in extra if token.role is Role.CHANGE or fold(token.text) in _REVISED]
    others = [token for token in extra if token not in changes and token.is_content]
    return bool(changes) and not others


def _measured(reading: Reading) -> set[str]:
    return {token.slot for clause in reading.clauses for token in clause if token.kind in VALUES}
