"""What the server says about itself to a caller."""

from threengram.core.environment.describe import describe_environment
from threengram.core.environment.stats import stats

__all__ = ["describe_environment", "stats"]
