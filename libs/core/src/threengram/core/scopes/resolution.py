"""Pure: what a scope is called, and which one a write is filed under, by what the call knew when it was admitted.

A scope may be renamed before the statement runs. So a statement that filters by a scope or files under one resolves its
name once more, in its own snapshot (`queries.CANONICAL`), and a write holds the registry still (`queries.FILING`).
"""

from threengram.core.identity.admission import Admission

DEFAULT_SCOPE = "personal"


def canonical(admission: Admission, name: str) -> str:
    """The registered name behind an alias; any other name stands for itself."""
    return admission.aliases.get(name, name)


def filed_under(admission: Admission, scope: str | None, project: str | None) -> str:
    """The scope of a new memory: the one given, else the one its project is mapped to, else `personal`."""
    if scope is not None:
        return canonical(admission, scope)
    if project is not None and project in admission.mappings:
        return admission.mappings[project]
    return canonical(admission, DEFAULT_SCOPE)
