"""Ports: who holds one, and the listening sockets that the supervisor owns on behalf of its services."""

import contextlib
import socket

import psutil

from threengram.cli.errors import CannotRun

HOST = "127.0.0.1"
BACKLOG = 2048


def listen(port: int, purpose: str) -> socket.socket:
    """A listening socket that children may inherit.

    It outlives them: while a service is replaced, connections wait in its queue instead of being refused.
    """
    listener = _bound(port, purpose)
    listener.listen(BACKLOG)
    listener.set_inheritable(True)
    return listener


def require_free(port: int, purpose: str) -> None:
    """Refuse a port that somebody listens on, for the servers that bind their own."""
    _bound(port, purpose).close()


def holder_of(port: int) -> str | None:
    """`pid 4711 (python)` for the process that listens on `port`, if this user may know."""
    with contextlib.suppress(psutil.AccessDenied):
        for connection in psutil.net_connections(kind="tcp"):
            is_on_port = connection.laddr[1:2] == (port,)  # an unbound socket has no address at all
            if connection.status == psutil.CONN_LISTEN and is_on_port and connection.pid:
                with contextlib.suppress(psutil.NoSuchProcess):
                    return f"pid {connection.pid} ({psutil.Process(connection.pid).name()})"
    return None


def _bound(port: int, purpose: str) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        if port != 0:
            # Linux lets two sockets with SO_REUSEADDR bind one port as long as neither listens: only listening tells.
            listener.listen(1)
    except OSError as error:
        listener.close()
        holder = holder_of(port)
        by = f" by {holder}" if holder else ""
        raise CannotRun(f"port {port} ({purpose}) is taken{by}; give another --port-base") from error
    return listener
