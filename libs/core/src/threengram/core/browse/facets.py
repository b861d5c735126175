"""The names of scopes and projects in use."""

from dataclasses import dataclass
from enum import StrEnum

from threengram.core.browse import queries
from threengram.core.call import Call
from threengram.core.db.statement import Row, Step
from threengram.schema.bounds import MAX_FACET_VALUES
from threengram.schema.browse import ListFacetsInput, ListFacetsOutput


class Facet(StrEnum):
    """Which names."""

    SCOPE = "scope"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Names:
    """The first names in order, and how many there are in all."""

    values: list[str]
    total: int

    @property
    def has_more(self) -> bool:
        """Whether some are left out."""
        return self.total > len(self.values)


async def list_facets(call: Call, request: ListFacetsInput) -> ListFacetsOutput:
    """Both kinds of names, of live memories only."""
    _, tx = await call.admitted()
    parameters = _parameters(request.prefix)
    scopes, projects = await tx.run(
        [Step(queries.SCOPES_IN_USE, parameters), Step(queries.PROJECTS_IN_USE, parameters)], commit=True
    )
    scope_names, project_names = _names(scopes), _names(projects)
    return ListFacetsOutput(
        scopes=scope_names.values,
        projects=project_names.values,
        total_scopes=scope_names.total,
        total_projects=project_names.total,
        has_more=scope_names.has_more or project_names.has_more,
    )


async def names_in_use(call: Call, facet: Facet, prefix: str) -> Names:
    """What completes `prefix`, upper and lower case alike, by the names of live memories."""
    _, tx = await call.admitted()
    statement = queries.SCOPES_IN_USE if facet is Facet.SCOPE else queries.PROJECTS_IN_USE
    return _names(await tx.fetch_last(statement, _parameters(prefix)))


def _parameters(prefix: str) -> dict[str, object]:
    return {"prefix": prefix, "limit": MAX_FACET_VALUES}


def _names(rows: list[Row]) -> Names:
    return Names([row["name"] for row in rows], rows[0]["total"] if rows else 0)
