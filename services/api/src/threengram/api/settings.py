"""What the `api` service reads from its environment; the only module here that looks at it."""

from typing import Annotated, Any, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from threengram.api.limits import MINUTE_S, Rules
from threengram.api.login import FORGOTTEN_PATH, SIGN_UP_PATH
from threengram.api.mail.smtp import Security
from threengram.core.people.mailboxes import is_mailbox
from threengram.edge.settings import EdgeSettings
from threengram.runtime.ratelimit import Rule

_NEVER_OF_AN_APP = frozenset(
    {"http", "https", "ws", "wss", "ftp", "file", "data", "blob", "about", "javascript", "vbscript", "view-source"}
)


class Settings(EdgeSettings):
    """`api`: REST, the authorization server and the web pages."""

    model_config = SettingsConfigDict(env_prefix="THREENGRAM_API_")

    port: int = Field(default=8301, ge=0, le=65535, description="Port the service listens on; 0 takes a free one.")
    admin_port: int = Field(
        default=8321, ge=0, le=65535, description="Port of the admin endpoints (health, metrics); 0 takes a free one."
    )
    public_url: str = Field(default="http://127.0.0.1:8300", description="Public base URL of the gateway.")
    issuer_url: str = Field(
        default="http://127.0.0.1:8301", description="Public base URL of this service, the token issuer."
    )
    signing_key: SecretStr = Field(
        description="Private RSA key in PEM form that signs access tokens; several, one after the other, while one "
        "replaces another. The same in every replica."
    )
    cimd_url: str | None = Field(
        default=None,
        description="Base URL of the service that fetches client metadata documents; without one, clients have to "
        "register themselves.",
    )
    redirect_schemes: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("cursor",),
        description="Comma-separated private-use schemes by which a client that registers itself may be sent back into "
        "an app.",
    )
    max_unused_clients: int = Field(
        default=10_000,
        ge=1,
        description="Registered clients that nobody has connected yet; beyond that the oldest make room.",
    )
    key_calls_per_minute: int = Field(default=300, ge=1, description="Requests a minute with one API key.")
    user_calls_per_minute: int = Field(default=600, ge=1, description="Requests a minute of one user, over all keys.")
    login_attempts_per_account: int = Field(
        default=10, ge=1, description="Passwords tried for one e-mail address in a window, wherever from."
    )
    login_window_s: int = Field(default=900, ge=1, description="Seconds of that window.")
    login_attempts_per_address: int = Field(
        default=30, ge=1, description="Passwords tried a minute from one network address (IPv6: its /64)."
    )
    token_calls_per_client: int = Field(
        default=1200,
        ge=1,
        description="Requests for tokens a minute of one OAuth client from one network address; a hosted client makes "
        "those of all its users from few addresses.",
    )
    token_calls_per_address: int = Field(
        default=3000, ge=1, description="Requests for tokens a minute from one network address."
    )
    password_threads: int = Field(default=2, ge=1, le=64, description="Passwords hashed at once; 19 MiB each.")
    session_minutes: int = Field(default=720, ge=1, description="How long a login on the web pages lasts.")
    sign_up: bool = Field(
        default=False, description="Whether anybody with a mailbox may create an account; needs `smtp_host`."
    )
    mailed_link_minutes: int = Field(
        default=60, ge=5, le=1440, description="How long a mailed link lets its reader choose a password."
    )
    mailed_links_per_address: int = Field(
        default=5, ge=1, description="Links asked for a minute from one network address (IPv6: its /64)."
    )
    smtp_host: str | None = Field(
        default=None, description="Mail server for links to a new password; without one, none can be asked for."
    )
    smtp_port: int = Field(default=587, ge=1, le=65535, description="Its port.")
    smtp_security: Security = Field(
        default=Security.STARTTLS, description="`starttls`, `tls` from the first byte (port 465), or `none`."
    )
    smtp_ca_file: str | None = Field(
        default=None, description="File with the authorities of its certificate; the system's when empty."
    )
    smtp_user: str | None = Field(default=None, description="User there; without one, nobody logs in.")
    smtp_password: SecretStr | None = Field(default=None, description="Password of that user.")
    smtp_from: str | None = Field(default=None, description="Address that mails come from; needed with `smtp_host`.")
    smtp_timeout_s: float = Field(default=10, gt=0, le=60, description="Longest time one mail may take.")
    breach_check_url: str | None = Field(
        default=None,
        description="Base URL of a list of stolen passwords that is asked by ranges of hashes, such as "
        "https://api.pwnedpasswords.com; without one, none is asked.",
    )
    export_timeout_s: float = Field(
        default=600, gt=0, le=3600, description="Longest time one export may take; its reader may be slow."
    )
    exports_at_once: int = Field(
        default=2,
        ge=1,
        description="Exports that one process sends at the same time; each holds a connection of the pool.",
    )
    import_timeout_s: float = Field(
        default=600, gt=0, le=3600, description="Longest time one import may take; sent again, it goes on."
    )
    import_max_bytes: int = Field(default=268_435_456, ge=1, description="Largest file that one import takes.")
    imports_at_once: int = Field(default=2, ge=1, description="Imports that one process takes at the same time.")

    @model_validator(mode="after")
    def _can_mail(self) -> Self:
        if self.sign_up and self.smtp_host is None:
            raise ValueError("sign_up needs smtp_host")
        if self.smtp_host is not None and (self.smtp_from is None or not is_mailbox(self.smtp_from)):
            raise ValueError("smtp_host needs smtp_from, one address")
        if (self.smtp_user is None) != (self.smtp_password is None):
            raise ValueError("smtp_user and smtp_password go together")
        return self

    def ways_in(self) -> frozenset[str]:
        """The pages that give a password to somebody who has none."""
        forgotten = {FORGOTTEN_PATH} if self.smtp_host is not None else set()
        return frozenset(forgotten | {SIGN_UP_PATH}) if self.sign_up else frozenset(forgotten)

    def rules(self) -> Rules:
        """The limits of routes that meet a caller before it is known."""
        calls, window_s = self.login_attempts_per_account, self.login_window_s
        return Rules(
            login_account=Rule("login_account", calls, window_s, "local"),
            login_address=Rule("login_address", self.login_attempts_per_address, MINUTE_S, "local"),
            password_account=Rule("password_account", calls, window_s, "local"),
            link_address=Rule("link_address", self.mailed_links_per_address, MINUTE_S, "local"),
            token_client=Rule("token_client", self.token_calls_per_client, MINUTE_S, "local"),
            token_address=Rule("token_address", self.token_calls_per_address, MINUTE_S, "local"),
        )

    @field_validator("redirect_schemes", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(scheme.strip().lower() for scheme in value.split(",") if scheme.strip())
        return value

    @field_validator("redirect_schemes")
    @classmethod
    def _are_of_apps(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not _NEVER_OF_AN_APP.isdisjoint(value):
            raise ValueError("a scheme of the web or of a script is no app's")
        return value
