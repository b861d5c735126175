"""What a careful person would say of each proposal, as the generator of the traffic knows it."""

from collections.abc import Iterable
from dataclasses import dataclass

from tests.integration.consolidation.day.frames import spellings
from tests.integration.consolidation.day.traffic import Said
from threengram.core.consolidation.claims import Claim


@dataclass(frozen=True)
class Verdict:
    """A proposal in words, and whether it would do harm to accept it."""

    kind: str
    text: str
    is_harmful: bool


def on_edge(newer: Said, older: Said, edge_type: str, rule: str) -> Verdict:
    """An edge that closes is harmless where the newer memory states all that the older one did, or denies it."""
    is_harmful = edge_type in ("supersedes", "updates") and not may_take_over(newer, older)
    where = f"{newer.scope}/{newer.project or '-'}"
    return Verdict(edge_type, f"[{where}] {newer.content} <{rule}> {older.content}", is_harmful)


def may_take_over(newer: Said, older: Said) -> bool:
    """Whether nothing that still holds would be hidden."""
    if (newer.scope, newer.project) != (older.scope, older.project) or newer.memory_type != older.memory_type:
        return False
    if older.about and older.about <= newer.about:
        return True
    return _denies(newer, older) or _denies(older, newer)


def _denies(denial: Said, statement: Said) -> bool:
    """`We don't use X for it`, and `We use X for it`."""
    same = {key[:3] for key in denial.about} <= {key[:3] for key in statement.about}
    is_denied = denial.denies in statement.value.split("|")
    return bool(denial.denies) and same and is_denied and not statement.denies


def on_fact(said: Said, claim: Claim) -> Verdict:
    """A fact is harmless when it is one of those that follow; of a statement about something else it has the value."""
    if claim.subject.strip(" :,.") != claim.subject:
        is_right = False
    elif said.claims:
        is_right = any(one.admits(claim) for one in said.claims)
    else:
        is_right = said.states and claim.value in spellings(said.value)
    return Verdict("fact", _worded(said, claim), not is_right)


def mixed(proposed: Iterable[tuple[Said, Claim]]) -> list[Verdict]:
    """Facts of one subject and predicate that are about different things: accepting one would end the other."""
    series: dict[tuple[str, str, str, str | None], tuple[Said, Claim]] = {}
    found = []
    for said, claim in proposed:
        first, its_claim = series.setdefault((claim.subject, claim.predicate, said.scope, said.project), (said, claim))
        if first.about.isdisjoint(said.about):
            found.append(Verdict("fact", f"{_worded(first, its_claim)} / {_worded(said, claim)}", is_harmful=True))
    return found


def _worded(said: Said, claim: Claim) -> str:
    return f"{said.content} => {claim.subject} | {claim.predicate} | {claim.value}"
