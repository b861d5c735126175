"""Who changed something is not what was changed: `the doctor raised the dose to 20 mg` tells of the dose."""

from itertools import takewhile

from threengram.core.consolidation.reading import Reading
from threengram.core.consolidation.reading.lexicon import Lexicon, words
from threengram.core.consolidation.reading.tokens import VALUES, Clause, Kind, Role

_USERS = words("user nutzer nutzerin utilisateur utilisatrice usuario usuaria utente utilizador usuário gebruiker")
_FIRST_PERSON = 0
"""The group of `Lexicon.persons` for those who speak; what is theirs and what is the user's is one."""


def without_agent(clause: Clause, older: Reading, lexicon: Lexicon) -> Clause:
    """The clause from its verb on, when somebody the older memory doesn't know changes what it speaks of.

    A bare name stays, since it may as well say whose thing it is (`Acme raised the price`); so does whoever changes
    what is theirs (`she moved her appointment`).
    """
    verb = next((at for at, token in enumerate(clause) if token.role is Role.CHANGE or token.role is Role.COPULA), 0)
    agent, said = clause[:verb], clause[verb:]
    if not any(token.role is Role.CHANGE for token in said) or not _is_somebody(agent, older):
        return clause
    named = {token.key for one in older.clauses for token in one}
    if any(lexicon.persons.get(token.key, _FIRST_PERSON) and token.key not in named for token in said):
        return clause
    patient = list(takewhile(lambda token: token.kind not in VALUES and token.role is not Role.PREPOSITION, said))
    return said if any(token.is_content and token.key in older.keys for token in patient) else clause


def _is_somebody(agent: Clause, older: Reading) -> bool:
    """Whether it is `the` or `my` somebody, a person with a title, or the user."""
    content = [token for token in agent if token.is_content]
    if not content or content[-1].key in older.keys or any(token.kind in VALUES | {Kind.CONTRAST} for token in content):
        return False
    if any(token.role not in (None, Role.ARTICLE, Role.TITLE, Role.FUNCTION, Role.SOFT) for token in agent):
        return False
    if any(token.role is Role.TITLE for token in agent) or content[-1].text.lower() in _USERS:
        return True
    is_determined = agent[0].role in (Role.ARTICLE, Role.FUNCTION)
    return is_determined and not any(token.kind is Kind.NAME for token in content)
