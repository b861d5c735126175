"""What matters now: `briefing` for the agent that begins, `handoff` for the one that takes over."""

from threengram.core.briefing.briefing import briefing
from threengram.core.briefing.handoff import handoff

__all__ = ["briefing", "handoff"]
