"""Daily upkeep of the installation: what has ended is taken away after a while."""

from threengram.core.upkeep.purge import Retention, purge

__all__ = ["Retention", "purge"]
