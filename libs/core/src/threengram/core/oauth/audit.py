"""What became of a grant, on record in its tenant: who acted, on which grant, when. Never a token, a code or a client.

Registrations have no tenant; the consent that first gives a client a grant is what is kept of them.
"""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from threengram.core.db.statement import Step
from threengram.core.ids import new_id
from threengram.core.oauth.queries import RECORD_GRANT_ACTION
from threengram.schema.enums import ActorKind


class Action(StrEnum):
    """Changes of a grant that are kept on record. Refreshes are not among them: the grant's last use is."""

    CONSENTED = "oauth.consent"
    TOKENS_ISSUED = "oauth.tokens_issued"
    CODE_REPLAYED = "oauth.code_replayed"
    REFRESH_REPLAYED = "oauth.refresh_replayed"
    GIVEN_UP = "oauth.given_up"
    REVOKED = "oauth.revoke_grant"


def recorded(action: Action, actor: ActorKind, grant_id: UUID, now: datetime) -> Step:
    """The step that writes it, in the same unit of work as the change."""
    row = {"audit_id": new_id(), "actor": actor, "action": action, "subject_id": grant_id, "now": now}
    return Step(RECORD_GRANT_ACTION, row)
