"""What the server says about itself to a caller."""

from threengram.core.environment.describe import describe_environment

__all__ = ["describe_environment"]
