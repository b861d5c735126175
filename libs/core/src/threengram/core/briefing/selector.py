"""Which memories a read is about, as a condition on rows `m`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import LiteralString

from threengram.core.db.database import TenantTransaction
from threengram.core.identity.admission import Admission
from threengram.core.scopes.policy import enforce
from threengram.schema.briefing import Selected, Selector, SelectorKind


@dataclass(frozen=True, slots=True)
class Selection:
    """A selector after the tenant's policy; `is_narrowed` when the policy put a scope in the place of everything.

    The scope is a name or an alias: it is resolved in the snapshot that holds the rows, so that a scope renamed
    meanwhile is found under the old name or the new one.
    """

    selector: Selector
    is_narrowed: bool

    @property
    def condition(self) -> LiteralString:
        """What holds for a selected memory, besides being live."""
        match self.selector.kind:
            case SelectorKind.ALL:
                return "true"
            case SelectorKind.SCOPE:
                return _IN_SCOPE
            case SelectorKind.PROJECT:
                return _OF_PROJECT
        if self.selector.include_unscoped:
            return _IN_SCOPE + " AND (" + _OF_PROJECT + " OR m.project IS NULL)"
        return _IN_SCOPE + " AND " + _OF_PROJECT

    @property
    def parameters(self) -> Mapping[str, object]:
        """The values behind the names."""
        return {"scope": self.selector.scope, "project": self.selector.project}

    def echo(self, resolved: str | None) -> Selected:
        """The selector as it was applied, its scope by the name to which it resolved."""
        kind = self.selector.kind
        return Selected(
            kind=kind,
            scope=resolved,
            project=self.selector.project,
            include_unscoped=self.selector.include_unscoped if kind is SelectorKind.SCOPE_PROJECT else None,
        )


_IN_SCOPE: LiteralString = "m.scope = (SELECT scope FROM selected)"
_OF_PROJECT: LiteralString = "m.project = %(project)s"


async def select(tx: TenantTransaction, admission: Admission, selector: Selector) -> Selection:
    """What a caller may see of what it selects: only the selector of everything is for the policy to decide.

    Raises `UnscopedRetrieval` when the policy wants a scope.
    """
    if selector.kind is not SelectorKind.ALL:
        return Selection(selector, is_narrowed=False)
    narrowing = await enforce(tx, admission, None)
    if narrowing.scope is None:
        return Selection(selector, is_narrowed=False)
    return Selection(Selector(kind=SelectorKind.SCOPE, scope=narrowing.scope), is_narrowed=True)
