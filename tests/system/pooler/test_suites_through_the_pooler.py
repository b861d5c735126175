"""The isolation and guard suites once more; `database_url` leads through PgBouncer here."""

from tests.integration.core.test_guard import *  # noqa: F403
from tests.integration.core.test_isolation import *  # noqa: F403
from tests.integration.core.test_remember import *  # noqa: F403
from tests.integration.core.test_search import *  # noqa: F403
