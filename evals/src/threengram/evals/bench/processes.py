"""What processes use, from /proc: CPU seconds and resident memory, and how busy the machine is besides."""

import os
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
KIB_PER_MIB = 1024


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident MiB of a group of processes: `pss_mib` counts a shared page once, by its share in each."""

    rss_mib: float
    pss_mib: float


def cpu_s(pid: int, *, with_children: bool) -> float:
    """CPU seconds of a process, or of it and everything below it, children that have ended included."""
    if not with_children:
        return sum(_times(pid)[:2]) / TICKS_PER_S
    return (sum(sum(_times(member)[:2]) for member in tree(pid)) + sum(_times(pid)[2:])) / TICKS_PER_S


def memory(pid: int, *, with_children: bool) -> Memory:
    """Resident memory of a process, or of it and everything below it."""
    members = tree(pid) if with_children else [pid]
    rolls = [_roll(member) for member in members]
    return Memory(sum(roll["Rss"] for roll in rolls) / KIB_PER_MIB, sum(roll["Pss"] for roll in rolls) / KIB_PER_MIB)


def busy_s() -> float:
    """CPU seconds of the whole machine since it started, without idle, waiting and stolen time."""
    fields = [int(field) for field in (PROC / "stat").read_text().splitlines()[0].split()[1:9]]
    user, nice, system, _idle, _waiting, irq, soft_irq, _stolen = fields
    return (user + nice + system + irq + soft_irq) / TICKS_PER_S


def tree(pid: int) -> list[int]:
    """The process and everything below it."""
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    members = [pid]
    for member in members:
        members += children.get(member, [])
    return members


def _times(pid: int) -> tuple[int, int, int, int]:
    """User and system ticks of the process, then those of its children that have ended."""
    fields = _stat(pid)
    if not fields:
        return (0, 0, 0, 0)
    return (int(fields[11]), int(fields[12]), int(fields[13]), int(fields[14]))


def _stat(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` after the command, whose name may hold anything; empty once it has ended."""
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text[text.rindex(")") + 2 :].split()


def _roll(pid: int) -> dict[str, int]:
    sizes = {"Rss": 0, "Pss": 0}
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return sizes
    for line in lines:
        name = line.split(":")[0]
        if name in sizes:
            sizes[name] = int(line.split()[1])
    return sizes
