"""What a person needs once everything runs: addresses, a token, and a configuration to paste into a client."""

import json

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from threengram.cli.run_file import RunRecord


def client_configuration(record: RunRecord) -> str:
    """The `mcpServers` entry that MCP clients read, as JSON."""
    server = {"type": "http", "url": record.mcp_url, "headers": {"Authorization": f"Bearer {record.token}"}}
    return json.dumps({"mcpServers": {"threengram": server}}, indent=2)


def show(console: Console, record: RunRecord, seconds: float) -> None:
    """Print the addresses in a box, and below it, without a frame, what is meant to be copied."""
    table = Table.grid(padding=(0, 2))
    table.add_row("MCP", Text(record.mcp_url, style="bold"))
    table.add_row("REST", Text(record.api_url, style="bold"))
    table.add_row("data", record.data_dir)
    hints = Text("make demo lets real MCP clients use it, Ctrl-C stops it", style="dim")
    title = f"threengram is ready after {seconds:.1f} s"
    console.print(Panel(Group(table, Text(), hints), title=title, border_style="green", expand=False))
    console.print("Token:")
    console.out(record.token, highlight=False)
    console.print("API key, for X-API-Key:")
    console.out(record.api_key, highlight=False)
    console.print("Client configuration:")
    console.out(client_configuration(record), highlight=False)
