"""What calls of paid providers cost a tenant: counted per operation and day, bounded where a budget is set."""

from threengram.core.usage.meter import UNLIMITED, Budget, Spent, begin_call, end_call, spent

__all__ = ["UNLIMITED", "Budget", "Spent", "begin_call", "end_call", "spent"]
