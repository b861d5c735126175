"""A keep-alive HTTP/1.1 client that costs little, since it shares the machine with what it measures."""

import asyncio

READ_LIMIT_BYTES = 1 << 22


class Connection:
    """One connection to a loopback server, opened when it is needed; requests are bytes, made beforehand."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def request(self, raw: bytes) -> tuple[int, bytes]:
        """Status and body. Raises `OSError` or `EOFError` when the server breaks off."""
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port, limit=READ_LIMIT_BYTES)
        self._writer.write(raw)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        body = await self._body(self._reader, head)
        if b"\r\nconnection: close" in head:
            self.close()
        return int(head[9:12]), body

    def close(self) -> None:
        """Hang up; a later request connects again."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def _body(self, reader: asyncio.StreamReader, head: bytes) -> bytes:
        at = head.find(b"\r\ncontent-length:")
        if at >= 0:
            return await reader.readexactly(int(head[at + 17 : head.index(b"\r\n", at + 2)]))
        if b"\r\ntransfer-encoding: chunked" not in head:
            return b""
        parts = []
        while size := int((await reader.readline()).split(b";")[0], 16):
            parts.append((await reader.readexactly(size + 2))[:-2])
        await reader.readexactly(2)
        return b"".join(parts)


def http(method: str, path: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """A request as bytes."""
    lines = [f"{method} {path} HTTP/1.1", "host: 127.0.0.1", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body
