"""A service for tests of supervision: answers HTTP with its generation, and drains on SIGTERM.

`greeter.py LISTEN_FD ADMIN_PORT GENERATION`. `/readyz` on the admin port answers 200; `/crash` on the listening socket
ends the process without a word.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys


async def serve(listen_fd: int, admin_port: int, generation: str) -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    open_requests: set[asyncio.Task[None]] = set()

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_requests.add(task)
        head = await reader.readuntil(b"\r\n\r\n")
        if b"/crash" in head:
            os._exit(3)
        body = generation.encode()
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        with contextlib.suppress(ConnectionError):
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        open_requests.discard(task)

    server = await asyncio.start_server(respond, sock=socket.socket(fileno=listen_fd))
    admin = await asyncio.start_server(respond, "127.0.0.1", admin_port)
    sys.stdout.write(f"generation {generation} serves\n")
    sys.stdout.flush()
    await stopping.wait()
    # Connections that were accepted in this turn of the loop get their callback before the listener goes.
    await asyncio.sleep(0)
    server.close()
    admin.close()
    if open_requests:
        await asyncio.wait(open_requests, timeout=5)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
