"""The mail server: one connection a mail, under one deadline."""

import asyncio
import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from enum import StrEnum

import aiosmtplib


class Security(StrEnum):
    """How the connection is protected; with `NONE` a mail's link travels in the clear."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


class NotSent(Exception):
    """The mail server did not take a mail; the cause says why, and may name anything."""


@dataclass(frozen=True, slots=True)
class Smtp:
    """Where mail is handed in (RFC 6409), and as whom; `ca_file` holds authorities instead of the system's."""

    host: str
    port: int
    security: Security
    timeout_s: float
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_file: str | None = None

    async def send(self, message: EmailMessage) -> None:
        """Hand a mail over, from whom and to whom it says itself; raises `NotSent`."""
        try:
            async with asyncio.timeout(self.timeout_s):
                await aiosmtplib.send(
                    message,
                    hostname=self.host,
                    port=self.port,
                    username=self.user,
                    password=self.password,
                    use_tls=self.security is Security.TLS,
                    start_tls=self.security is Security.STARTTLS,
                    tls_context=None
                    if self.security is Security.NONE
                    else ssl.create_default_context(cafile=self.ca_file),
                    timeout=self.timeout_s,
                )
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise NotSent from error
