"""A walk as a person reads it."""

from rich.console import Console
from rich.table import Table

from threengram.cli.demo.walk import Walk


def show(console: Console, walk: Walk) -> None:
    """Print what was written and found."""
    table = Table(title=f"MCP {walk.revision}: asked in other words", title_justify="left")
    for column in ("question", "found first", "rank of the answer", "score"):
        table.add_column(column, justify="right" if column in ("score", "rank of the answer") else "left")
    for finding in walk.findings:
        rank = "not in the first five" if finding.rank is None else str(finding.rank)
        style = "green" if finding.rank == 1 else "yellow" if finding.rank else "red"
        table.add_row(finding.question, finding.found, f"[{style}]{rank}[/]", f"{finding.score:.2f}")
    console.print(table)
    first = sum(finding.rank == 1 for finding in walk.findings)
    console.print(
        f"{walk.written} memories written, {walk.known} already known; {first} of {len(walk.findings)} answers came"
        f" first; {walk.listed} listed newest first on {walk.pages} pages; a body of {walk.body_chars:,} characters"
        " read in full.\n"
    )
    week = Table(title=f"MCP {walk.revision}: a week of one project", title_justify="left", show_header=False)
    for what, said in walk.week:
        week.add_row(what, said)
    console.print(week)
    console.print()
