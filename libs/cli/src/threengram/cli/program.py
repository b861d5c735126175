"""What the supervisor keeps running under one name."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import IntEnum

from threengram.cli.command import Command


class Tier(IntEnum):
    """Who needs whom: a tier is stopped when every higher one has ended."""

    DATA = 0
    SUPPORT = 1
    SERVICE = 2


@dataclass(frozen=True)
class Program:
    """A command by generation, how to tell that it is ready, and if it is not, why.

    A rolling restart counts the generation up. During it two generations run side by side, so whatever only one
    process can have, such as its admin port, follows from the generation.
    """

    name: str
    service: str
    tier: Tier
    command: Callable[[int], Command]
    is_ready: Callable[[int], Awaitable[bool]]
    why_not: Callable[[int], Awaitable[str]]
    can_roll: bool = False
    grace_s: float = 25.0
    start_timeout_s: float = 60.0
