"""An hour of the simulated day; `make chaos` lives through all of it."""

from pathlib import Path

from tests.integration.consolidation.day.living import report
from tests.integration.consolidation.day.town import a_day

REPORT = Path("build/simulated-day/hour.txt")


async def test_an_hour_of_traffic_leaves_no_proposal_that_a_careful_person_would_call_harmful(
    own_database_url: str, redis_url: str, hash_embedder_url: str
) -> None:
    async with a_day(
        own_database_url, redis_url, hash_embedder_url, tenants=5, writes=(16, 30), quarters=5, seed=7
    ) as day:
        print(report(day, REPORT))
        assert [one.text for one in day.verdicts if one.is_harmful] == []
        assert len(day.verdicts) > 20
