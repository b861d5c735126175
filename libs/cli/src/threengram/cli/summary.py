"""What a person needs once everything runs: addresses, a token, and a configuration to paste into a client."""

import json
from pathlib import Path

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from threengram.cli.layout import default_data_directory
from threengram.cli.run_file import RunRecord


def client_configuration(record: RunRecord, *, has_token: bool = False) -> str:
    """The `mcpServers` entry that MCP clients read, as JSON; without a token the client opens a browser to log in."""
    server: dict[str, object] = {"type": "http", "url": record.mcp_url}
    if has_token:
        server["headers"] = {"Authorization": f"Bearer {record.token}"}
    return json.dumps({"mcpServers": {"threengram": server}}, indent=2)


def show(console: Console, record: RunRecord, seconds: float) -> None:
    """Print the addresses in a box, and below it, without a frame, what is meant to be copied."""
    table = Table.grid(padding=(0, 2))
    table.add_row("MCP", Text(record.mcp_url, style="bold"))
    table.add_row("REST", Text(record.api_url, style="bold"))
    table.add_row("login", Text(f"{record.api_url}/login as {record.email}", style="bold"))
    table.add_row("password", _password(console, record))
    table.add_row("data", record.data_dir)
    hints = Text(f"{_demo(record)} lets real MCP clients use it, Ctrl-C stops it", style="dim")
    title = f"threengram is ready after {seconds:.1f} s"
    console.print(Panel(Group(table, Text(), hints), title=title, border_style="green", expand=False))
    console.print("Client configuration; the client opens a browser for the login:")
    console.out(client_configuration(record), highlight=False)
    console.print("For a client without a browser:")
    console.out(client_configuration(record, has_token=True), highlight=False)
    console.print("API key, for X-API-Key:")
    console.out(record.api_key, highlight=False)


def _demo(record: RunRecord) -> str:
    """What to type; the commands have to be told of another data directory than the usual one."""
    if Path(record.data_dir) == default_data_directory():
        return "make demo"
    return f'make demo ARGS="--data-dir {record.data_dir}"'


def _password(console: Console, record: RunRecord) -> Text:
    """The password where a person reads it, its file where a log does, a hint where another one was set."""
    if record.password_file is None:
        return Text("the one you set; `threengram user passwd` sets another", style="dim")
    if not console.is_terminal:
        return Text(f"in {record.password_file}")
    return Text(Path(record.password_file).read_text().strip(), style="bold")
