"""The version that clients and `describe_environment` see: that of this distribution."""

from importlib.metadata import version

VERSION = version("threengram-gateway")
