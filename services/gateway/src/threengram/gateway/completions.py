"""`completion/complete`: the tenant's own scope and project names, offered while a user fills in a prompt's form.

The protocol completes arguments of prompts and of resource templates, never of tools. The id of a memory is not
completed: that would list the corpus, which `resources/list` declines to do.
"""

from collections.abc import Mapping

import mcp_types as t
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from threengram.core.browse import names_in_use
from threengram.core.browse.facets import Facet
from threengram.core.call import OpenCall
from threengram.core.errors import InsufficientScope
from threengram.core.principal import Principal
from threengram.gateway.prompts import prompt_named
from threengram.gateway.resources import TEMPLATE
from threengram.schema.browse import ListFacetsInput
from threengram.schema.enums import OAuthScope

METHOD = "completion/complete"
Reference = t.ResourceTemplateReference | t.PromptReference

COMPLETED: Mapping[str, Facet] = {"scope": Facet.SCOPE, "project": Facet.PROJECT}
"""The arguments of prompts that have completions, and the names that complete them."""

NOTHING = t.Completion(values=[], has_more=False)
"""No total: nothing was counted."""


class Completions:
    """Completes arguments for any number of callers at once; holds nothing of any of them."""

    def __init__(self, open_call: OpenCall) -> None:
        self._open_call = open_call

    async def complete(self, principal: Principal, ref: Reference, argument: t.CompletionArgument) -> t.CompleteResult:
        """The names that begin with what was typed, upper and lower case alike, at most 100 of them.

        Raises what admission raises and `InsufficientScope` without `memory:read`; whoever answers the caller turns
        these into `NOTHING`. Raises `MCPError` (-32602) for a prompt, an argument or a template that is not published.
        """
        async with self._open_call(principal) as call:
            # Also where nothing is read: a withdrawn token opens nothing.
            await call.admitted()
            facet = _facet_of(ref, argument.name)
            prefix = _prefix_of(argument.value)
            if facet is None or prefix is None:
                return t.CompleteResult(completion=NOTHING)
            if OAuthScope.MEMORY_READ not in principal.scopes:
                raise InsufficientScope(OAuthScope.MEMORY_READ)
            names = await names_in_use(call, facet, prefix)
        completion = t.Completion(values=names.values, total=names.total, has_more=names.has_more)
        return t.CompleteResult(completion=completion)


def _facet_of(ref: Reference, name: str) -> Facet | None:
    """Which names complete an argument; None when it is published and has none."""
    if isinstance(ref, t.ResourceTemplateReference):
        if ref.uri != TEMPLATE.uri_template:
            raise MCPError(code=t.INVALID_PARAMS, message="Unknown resource template")
        return None
    prompt = prompt_named(ref.name)
    if name not in prompt.arguments.model_fields:
        raise MCPError(code=t.INVALID_PARAMS, message=f"Unknown argument of the prompt {prompt.name}: {name[:128]}")
    return COMPLETED.get(name)


def _prefix_of(typed: str) -> str | None:
    """What names have to begin with; None when no name can."""
    try:
        return ListFacetsInput(prefix=typed).prefix
    except ValidationError:
        return None
