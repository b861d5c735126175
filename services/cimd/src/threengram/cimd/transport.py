"""One request on a connection of its own, to an address that was checked, with TLS for the name that was asked for."""

import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import httpx2
from anyio import Path

from threengram.cimd.addresses import IpAddress
from threengram.cimd.failures import Unresolved
from threengram.schema.oauth import ResolveFailure
from threengram.schema.urls import DocumentUrl

_CONNECT_TIMEOUT_S: Final = 3.0
_MAX_ATTEMPTS: Final = 4
_USER_AGENT: Final = "3ngram-client-metadata"
_NO_REUSE: Final = httpx2.Limits(max_connections=1, max_keepalive_connections=0)


def tls_context() -> ssl.SSLContext:
    """Certificates verified against the system's authorities, whatever the environment says."""
    return httpx2.create_ssl_context(trust_env=False)


async def check_authorities(tls: ssl.SSLContext) -> None:
    """Health check: there are certificate authorities, loaded or in the system's directory. Raises an `OSError`."""
    directory = Path(ssl.get_default_verify_paths().openssl_capath)
    if not tls.cert_store_stats()["x509_ca"] and not await directory.is_dir():
        raise FileNotFoundError("no certificate authorities")


@asynccontextmanager
async def get(
    url: DocumentUrl, addresses: Sequence[IpAddress], tls: ssl.SSLContext, *, timeout_s: float
) -> AsyncIterator[httpx2.Response]:
    """The response, its body not read yet, of the first address that takes a connection.

    Nothing else is connected to: no proxy, no name look-up, no redirect. `timeout_s` bounds each read and write. Raises
    `Unresolved`, also for what breaks while the block reads the body.
    """
    try:
        # A pool knows connections by address only, and would lend one to another name.
        async with httpx2.AsyncHTTPTransport(verify=tls, trust_env=False, limits=_NO_REUSE) as transport:
            response = await _send(transport, url, addresses, timeout_s)
            try:
                yield response
            finally:
                await response.aclose()
    except httpx2.HTTPError as error:
        raise Unresolved(ResolveFailure.TLS_FAILURE if _is_tls(error) else ResolveFailure.FETCH_FAILURE) from error


async def _send(
    transport: httpx2.AsyncHTTPTransport, url: DocumentUrl, addresses: Sequence[IpAddress], timeout_s: float
) -> httpx2.Response:
    attempts = addresses[:_MAX_ATTEMPTS]
    for address in attempts[:-1]:
        try:
            return await transport.handle_async_request(_request(url, address, timeout_s))
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if _is_tls(error):
                raise
    return await transport.handle_async_request(_request(url, attempts[-1], timeout_s))


def _request(url: DocumentUrl, address: IpAddress, timeout_s: float) -> httpx2.Request:
    connect_timeout_s = min(_CONNECT_TIMEOUT_S, timeout_s)
    return httpx2.Request(
        "GET",
        httpx2.URL(scheme="https", host=str(address), port=url.port),
        headers={
            "Host": url.authority,
            "Accept": "application/json",
            # Nothing is ever decompressed.
            "Accept-Encoding": "identity",
            "User-Agent": _USER_AGENT,
            "Connection": "close",
        },
        extensions={
            "sni_hostname": url.host,
            "target": url.target.encode("ascii"),
            "timeout": {"connect": connect_timeout_s, "read": timeout_s, "write": timeout_s, "pool": timeout_s},
        },
    )


def _is_tls(error: BaseException) -> bool:
    """Whether a failed handshake is behind the error."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, ssl.SSLError):
            return True
        behind = behind.__cause__ or behind.__context__
    return False
