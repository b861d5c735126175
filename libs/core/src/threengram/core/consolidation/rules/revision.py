"""A newer memory whose topic is the older one's with a word of change behind it: `Tech rehearsal moved`."""

from threengram.core.consolidation.reading import Reading
from threengram.core.consolidation.reading.lexicon import words
from threengram.core.consolidation.reading.tokens import VALUES, Role, Token
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
    return bool(extra) and _says_change(extra) and bool(_measured(older) & _measured(newer))


def _says_change(extra: list[Token]) -> bool:
    """Whether nothing but words of change was added, apart from words that only connect."""
    changes = [token for token in extra if token.role is Role.CHANGE or fold(token.text) in _REVISED]
    others = [token for token in extra if token not in changes and token.is_content]
    return bool(changes) and not others


def _measured(reading: Reading) -> set[str]:
    return {token.slot for clause in reading.clauses for token in clause if token.kind in VALUES}
