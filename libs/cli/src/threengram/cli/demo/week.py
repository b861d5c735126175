"""A week of one project: a decision revised, a promise kept, a blocker that returns, a value that moves, a handover."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from mcp import Client

from threengram.cli.demo.calls import content

Line = tuple[str, str]
"""What happened, and what the memory said to it."""

DAY = timedelta(days=1)


def _at(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


class Week:
    """One agent's week in a project of its own, so that every walk starts on a clean page; another agent follows."""

    def __init__(self, client: Client, next_client: Client, now: datetime) -> None:
        self._client = client
        self._next_client = next_client
        self._now = now
        self._project = f"lighthouse-{now:%Y%m%d-%H%M%S-%f}"
        self._seen: list[Line] = []

    async def live(self) -> list[Line]:
        """Everything that happened, in order."""
        for day in (self._decisions, self._promises, self._blocker, self._measurements, self._handover):
            await day()
        return self._seen

    async def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return content(await self._client.call_tool(tool, arguments))

    async def _remember(self, kind: str, topic: str, text: str, **more: Any) -> str:
        filed = {"memoryType": kind, "topic": topic, "content": text, "scope": "work", "project": self._project}
        written = await self._call("remember", **filed, **more)
        return str(written["memory"]["id"])

    def _tell(self, what: str, said: str) -> None:
        self._seen.append((what, said))

    async def _decisions(self) -> None:
        first = await self._remember("decision", "Lamp", "The lamp gets a halogen bulb.")
        known_then = _at(datetime.now(UTC))
        text = "The lamp gets an LED, since bulbs are scarce."
        await self._call("revise", predecessorId=first, memoryType="decision", topic="Lamp", content=text)
        now = await self._call("search", query="which light source does the lamp get?", project=self._project)
        self._tell("A decision is revised", now["hits"][0]["content"])
        then = await self._call(
            "search", query="which light source?", project=self._project, asOf={"asKnownAt": known_then}
        )
        self._tell("… and as it was known a moment before", then["hits"][0]["content"])

    async def _promises(self) -> None:
        due = self._now - DAY
        schedule = {"dueAt": _at(due), "recurrence": "FREQ=DAILY", "owner": "Ida"}
        promise = await self._remember("commitment", "Logbook", "Write up the logbook every day.", **schedule)
        briefing = await self._briefing()
        self._tell("A recurring promise is overdue", f"{briefing['overdue']['count']} overdue")
        moved = await self._call("resolve", memoryId=promise, status="resolved")
        self._tell("… it is kept, and goes on", f"{moved['status']}, next due {moved.get('nextDueAt', 'never')}")

    async def _blocker(self) -> None:
        blocker = await self._remember("blocker", "Crane", "The crane has no permit for the pier.")
        states = []
        for status in ("resolved", "open"):
            await self._call("resolve", memoryId=blocker, status=status)
            states.append(f"{status}: {(await self._briefing())['blockers']['count']} in the briefing")
        self._tell("A blocker is resolved and comes back", "; ".join(states))

    async def _measurements(self) -> None:
        series = {"subject": f"{self._project}.beam", "predicate": "range.nautical_miles"}
        for age, value in ((6, "14"), (4, "17"), (1, "19")):
            await self._remember(
                "fact", "Range of the beam", f"The beam was seen at {value} nautical miles, {age} days ago.",
                facts=[{**series, "value": value, "validFrom": _at(self._now - age * DAY)}],
            )  # fmt: skip
        read = await self._call("get_facts", **series, range={"from": _at(self._now - 7 * DAY)})
        self._tell("A value as a series", " → ".join(fact["value"] for fact in read["facts"]))
        tuesday = _last(lambda moment: moment.weekday() == 1, self._now - DAY)
        then = await self._call("get_facts", **series, asOf={"validAt": _at(tuesday)})
        values = [fact["value"] for fact in then["facts"]] or ["not measured yet"]
        self._tell(f"… and as it stood on Tuesday, {tuesday:%d %B}", values[0])

    async def _handover(self) -> None:
        package = await self._call("handoff", selector=self._selector, generatedFor="the agent of the night shift")
        counts = package["counts"]
        self._tell(
            "A handoff for the next agent",
            f"{counts['decisions']} decision, {counts['commitments']} commitment, {counts['blockers']} blocker",
        )
        self._client = self._next_client
        taken = package["decisions"][0]
        text = f"{taken['content']} The night shift ordered two spare ones."
        revised = {"memoryType": "decision", "topic": taken["topic"], "content": text, "edgeIntent": "updates"}
        await self._call("revise", predecessorId=taken["id"], **revised)
        found = await self._call("search", query="what did the night shift order?", project=self._project)
        self._tell("… who continues the work", found["hits"][0]["content"])

    @property
    def _selector(self) -> dict[str, str]:
        return {"kind": "project", "project": self._project}

    async def _briefing(self) -> dict[str, Any]:
        return await self._call("briefing", selector=self._selector)


def _last(is_wanted: Callable[[datetime], bool], start: datetime) -> datetime:
    """The latest moment at the time of `start`, on it or on a day before, that is wanted."""
    moment = start
    while not is_wanted(moment):
        moment -= DAY
    return moment
