"""What became of a grant, on record in its tenant: who acted, on which grant, when. Never a token, a code or a client.

Registrations have no tenant; the consent that first gives a client a grant is what is kept of them.
"""

from enum import StrEnum


class Action(StrEnum):
    """Changes of a grant that are kept on record. Refreshes are not among them: the grant's last use is."""

    CONSENTED = "oauth.consent"
    TOKENS_ISSUED = "oauth.tokens_issued"
    CODE_REPLAYED = "oauth.code_replayed"
    REFRESH_REPLAYED = "oauth.refresh_replayed"
    GIVEN_UP = "oauth.given_up"
    REVOKED = "oauth.revoke_grant"
