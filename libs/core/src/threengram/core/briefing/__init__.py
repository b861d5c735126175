"""What matters now: `briefing` for the agent that begins, `handoff` for the one that takes over.

Both read several lists that have to agree. Their call is opened with `BEGIN`, so that all of them see one snapshot.
"""

from threengram.core.briefing.briefing import briefing
from threengram.core.briefing.handoff import handoff
from threengram.core.db.database import Begin

BEGIN = Begin.SNAPSHOT

__all__ = ["BEGIN", "briefing", "handoff"]
