"""What the product promises to an agent, kept by the whole stack with its real model."""

import os
import re
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Self

import httpx2
import pytest

from tests.stack import RunningStack, data_directory, running_stack, threengram
from tests.waiting import wait_until

WAIT_S = 60.0
VECTOR_WITHIN_MS = "3000"
"""Longer than by default: a machine that does other things must not turn meaning into words."""

FILLER = "The committee read the minutes of the previous meeting and had nothing to add to the third paragraph. "


@pytest.fixture(scope="module")
def stack() -> Iterator[RunningStack]:
    with pytest.MonkeyPatch.context() as variables:
        for name in ("QUERY", "WRITE"):
            variables.setenv(f"THREENGRAM_GATEWAY_EMBED_{name}_TIMEOUT_MS", VECTOR_WITHIN_MS)
        with data_directory() as data_dir, running_stack(data_dir, "--no-color") as stack:
            yield stack


class Agent:
    """A client of the stack that retries what a restarting service refuses, as real ones do."""

    def __init__(self, stack: RunningStack) -> None:
        self.stack = stack

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        record = self.stack.record
        headers = {"Authorization": f"Bearer {record['token']}", "MCP-Protocol-Version": "2025-06-18"}
        answer = httpx2.post(record["mcpUrl"], json=body, headers=headers, timeout=WAIT_S, trust_env=False)
        result: dict[str, Any] = answer.raise_for_status().json()["result"]
        if result["isError"]:
            raise Refused(result["_meta"]["code"])
        content: dict[str, Any] = result["structuredContent"]
        return content

    def remember(self, content: str, *, topic: str = "Note", project: str = "tests") -> dict[str, Any]:
        return self.call("remember", memoryType="note", topic=topic, content=content, project=project)

    def first(self, query: str, *, project: str = "tests") -> str:
        hits = self.call("search", query=query, project=project)["hits"]
        return str(hits[0]["id"]) if hits else ""


class Refused(Exception):
    """The tool answered with an error; the code says which."""


@pytest.fixture
def agent(stack: RunningStack) -> Agent:
    return Agent(stack)


@contextmanager
def standing_still(stack: RunningStack, service: str) -> Iterator[None]:
    """Nothing is done by the service within the block."""
    pid = stack.record["pids"][service]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def test_a_memory_is_found_at_once_by_a_paraphrase_that_shares_no_word(agent: Agent) -> None:
    content = "The physician prescribed medicine against hypertension."
    query = "which drug treats my high blood pressure?"
    assert not words(content) & words(query)
    for number, other in enumerate(("The garden needs water twice a week.", "Our train leaves from platform nine.")):
        agent.remember(other, topic=f"Other {number}", project="health")
    written = agent.remember(content, topic="Visit", project="health")
    assert written["embedded"] == "done"
    assert agent.first(query, project="health") == written["memory"]["id"]


def test_the_demo_lives_its_week_in_both_eras(stack: RunningStack) -> None:
    shown = threengram("demo", f"--data-dir={stack.data_dir}", timeout_s=WAIT_S * 2)
    assert (shown.returncode, shown.stderr) == (0, "")
    for line in ("30 memories written", "30 already known", "14 → 17 → 19", "resolved: 0 in the briefing; open: 1"):
        assert line in " ".join(shown.stdout.replace("│", " ").split()), line


def test_a_full_size_memory_is_found_by_its_last_sentence(agent: Agent) -> None:
    last = "The lighthouse keeper breeds alpacas."
    content = (FILLER * 20)[: 2000 - len(last) - 1] + " " + last
    assert len(content) == 2000
    question = {"query": last, "project": "committee"}
    with standing_still(agent.stack, "worker"):
        written = agent.remember(content, topic="Minutes", project="committee")
        similarity_of_the_first_window = agent.call("search", **question)["coverage"]["topSimilarity"]
    wait_until(lambda: is_embedded(agent))
    found = agent.call("search", **question)
    assert found["hits"][0]["id"] == written["memory"]["id"]
    assert found["coverage"]["topSimilarity"] > similarity_of_the_first_window + 0.1


def test_without_the_embedder_words_still_find_and_meaning_returns_with_it(stack: RunningStack, agent: Agent) -> None:
    for number, other in enumerate(("Lunch is served until two.", "Ravi parks his bicycle in the yard.")):
        agent.remember(other, topic=f"Other {number}", project="airfield")
    with standing_still(stack, "embedder"):
        written = agent.remember("The zeppelin hangar was repainted in ochre.", topic="Paint", project="airfield")
        assert written["embedded"] == "pending"
        found = agent.call("search", query="zeppelin hangar")
        assert found["coverage"]["vector"] == "unavailable"
        assert found["coverage"]["pendingEmbeddings"] >= 1
        assert found["hits"][0]["id"] == written["memory"]["id"]
    query = "what colour is the airship building now?"
    wait_until(lambda: is_embedded(agent) and agent.first(query, project="airfield") == written["memory"]["id"])


@pytest.mark.parametrize("service", ["gateway", "worker", "beat", "embedder", "api", "cimd", "postgres", "valkey"])
def test_no_acknowledged_memory_is_lost_when_a_process_is_killed(
    stack: RunningStack, agent: Agent, service: str
) -> None:
    acknowledged = []
    killed = False
    for number in range(20):
        if number == 5:
            os.kill(stack.record["pids"][service], signal.SIGKILL)
            killed = True
        try:
            acknowledged.append(agent.remember(f"{service} entry {number} of the logbook")["memory"]["id"])
        except (httpx2.HTTPError, Refused):
            continue
    assert killed
    assert len(acknowledged) >= 5

    def all_are_there() -> bool:
        try:
            read = agent.call("get_memories", ids=acknowledged)
        except (httpx2.HTTPError, Refused):
            return False
        return bool(read["count"] == len(acknowledged) and read["notFound"] == [])

    wait_until(all_are_there)
    wait_until(lambda: is_embedded(agent))


def is_embedded(agent: Agent) -> bool:
    try:
        return bool(agent.call("describe_environment")["embeddings"]["pending"] == 0)
    except (httpx2.HTTPError, Refused):
        return False


class Traffic:
    """Searches and writes in turn, without a pause, on a thread; whatever fails is kept."""

    question = "which lamp is lit when ships come home at night?"
    answer = "The keeper lights the northern lamp for ships that come home at night."

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.similarities: set[float] = set()
        self.searches = 0
        self.misses: list[str] = []
        self.written: list[str] = []
        self.failures: list[Exception] = []
        self._is_over = threading.Event()
        self.asked_for = agent.remember(self.answer, topic="Harbour", project="traffic")["memory"]["id"]

    def __enter__(self) -> Self:
        self._pool = ThreadPoolExecutor(1)
        self._running = self._pool.submit(self._repeat)
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._pool.shutdown()
        self._running.result()

    def _repeat(self) -> None:
        while not self._is_over.is_set():
            try:
                self._search()
                self._write()
            except (httpx2.HTTPError, Refused) as error:
                self.failures.append(error)

    def _search(self) -> None:
        found = self.agent.call("search", query=self.question, project="traffic")
        self.searches += 1
        if found["hits"][0]["id"] != self.asked_for:
            self.misses.append(found["hits"][0]["id"])
        if found["coverage"]["vector"] == "used":
            self.similarities.add(found["coverage"]["topSimilarity"])

    def _write(self) -> None:
        entry = self.agent.remember(f"Entry {len(self.written)} of the log.", topic="Log", project="traffic")
        self.written.append(entry["memory"]["id"])


def test_the_model_changes_to_another_width_and_back_under_traffic(stack: RunningStack, agent: Agent) -> None:
    def models(*arguments: str) -> str:
        run = threengram("models", *arguments, f"--data-dir={stack.data_dir}", timeout_s=WAIT_S * 2)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def similarity() -> float:
        return float(agent.call("search", query=Traffic.question, project="traffic")["coverage"]["topSimilarity"])

    wait_until(lambda: is_embedded(agent))
    with Traffic(agent) as traffic:
        wait_until(lambda: traffic.searches > 3)
        assert "hash-64 is active" in models("switch", "hash-64", "--force=uncalibrated")
        hashed = similarity()
        searched = traffic.searches
        wait_until(lambda: traffic.searches > searched + 3)
        assert "all-MiniLM-L6-v2-dynamic-int8 is active" in models("activate", "all-MiniLM-L6-v2-dynamic-int8")
        real = similarity()
        searched = traffic.searches
        wait_until(lambda: traffic.searches > searched + 3)
    assert traffic.failures == []
    assert traffic.misses == []
    assert len(traffic.written) > 3
    assert abs(real - hashed) > 0.05
    assert all(min(abs(seen - real), abs(seen - hashed)) < 0.01 for seen in traffic.similarities)
    assert agent.first(f"Entry {len(traffic.written) - 1} of the log.", project="traffic") in traffic.written


def test_nothing_a_person_wrote_reaches_a_log_or_a_metric(stack: RunningStack, agent: Agent) -> None:
    canary = "canaryquetzal"
    facts = [{"subject": canary, "predicate": f"{canary}.kg", "value": canary}]
    agent.call(
        "remember", memoryType="fact", topic=canary, content=f"{canary} flies", tags=[canary], facts=facts,
        project=canary,
    )  # fmt: skip
    agent.call("search", query=f"where is {canary}")
    with pytest.raises(Refused):
        agent.call("search", query=canary, **{canary: canary})
    headers = {"Authorization": f"Bearer {canary}"}
    refused = httpx2.post(stack.record["mcpUrl"], json={}, headers=headers, timeout=WAIT_S, trust_env=False)
    assert refused.status_code == 401
    wait_until(lambda: is_embedded(agent))
    sinks = {"log": stack.log.read_text()}
    for service, url in stack.record["adminUrls"].items():
        sinks[service] = httpx2.get(f"{url}/metrics", timeout=WAIT_S, trust_env=False).text
    assert "tools/call" in sinks["gateway"] or "tools_call" in sinks["gateway"]
    for name, text in sinks.items():
        assert canary not in text.lower(), name
