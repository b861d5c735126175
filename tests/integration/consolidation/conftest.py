"""The simulated day has a database of its own: its jobs look at every tenant there is."""

from tests.integration.worker.conftest import own_database_url, template

__all__ = ["own_database_url", "template"]
