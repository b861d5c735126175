"""The whole surface on one screen, in published order."""

from typing import Any

from threengram.gateway.tools.briefing import BRIEFING
from threengram.gateway.tools.configure_scope import CONFIGURE_SCOPE
from threengram.gateway.tools.describe_environment import describing
from threengram.gateway.tools.get_facts import GET_FACTS
from threengram.gateway.tools.get_memories import GET_MEMORIES
from threengram.gateway.tools.handoff import HANDOFF
from threengram.gateway.tools.remember import REMEMBER
from threengram.gateway.tools.resolve import RESOLVE
from threengram.gateway.tools.review_proposals import REVIEW_PROPOSALS
from threengram.gateway.tools.revise import REVISE
from threengram.gateway.tools.search import SEARCH
from threengram.gateway.tools.tool import Tool

TOOLS: tuple[Tool[Any, Any], ...] = (
    REMEMBER,
    SEARCH,
    GET_FACTS,
    REVISE,
    RESOLVE,
    BRIEFING,
    HANDOFF,
    GET_MEMORIES,
    CONFIGURE_SCOPE,
    describing(lambda: [tool.name for tool in TOOLS]),
    REVIEW_PROPOSALS,
)

__all__ = ["TOOLS", "Tool"]
