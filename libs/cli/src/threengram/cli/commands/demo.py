"""`threengram demo`: the official MCP client uses a running stack, in both protocol eras."""

import asyncio

from rich.console import Console

from threengram.cli.commands.data_dir import DataDir, layout_of
from threengram.cli.run_file import read


def demo(data_dir: DataDir = None) -> None:
    """Remember thirty memories, find them in other words, page through them, and print what was found."""
    # Brings the MCP client, which no other command should wait for.
    from threengram.cli.demo.report import show
    from threengram.cli.demo.walk import ERAS, walk

    record = read(layout_of(data_dir).run_file)
    console = Console()
    for revision in ERAS:
        show(console, asyncio.run(walk(record.mcp_url, record.token, revision)))
