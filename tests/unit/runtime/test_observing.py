"""What core reports, as series."""

import pytest

from threengram.runtime import metrics
from threengram.runtime.observing import TelemetryObserver

OBSERVER = TelemetryObserver()


def value(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


def test_what_core_counts_is_a_series_with_closed_labels() -> None:
    before = value("threengram_searches_total", vector="used", confident="true")
    OBSERVER.count("search", vector="used", confident="true")
    OBSERVER.count("search", vector="a query", confident="true")
    assert value("threengram_searches_total", vector="used", confident="true") == before + 1
    assert value("threengram_searches_total", vector="other", confident="true") >= 1
    assert "a query" not in metrics.render().decode()


def test_an_event_that_is_not_declared_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        OBSERVER.count("sneezed")


def test_the_parts_of_a_search_and_calls_to_the_embedder_are_timed_with_their_outcome() -> None:
    leg = value("threengram_search_leg_duration_seconds_count", leg="walked")
    failed = value("threengram_embed_call_duration_seconds_count", priority="query", outcome="failed")
    with OBSERVER.span("search.walked"):
        pass
    with pytest.raises(TimeoutError), OBSERVER.span("client.embed", priority="query"):
        raise TimeoutError
    assert value("threengram_search_leg_duration_seconds_count", leg="walked") == leg + 1
    assert value("threengram_embed_call_duration_seconds_count", priority="query", outcome="failed") == failed + 1


def test_only_a_connection_that_came_counts_as_a_wait() -> None:
    before = value("threengram_db_pool_wait_seconds_count")
    with OBSERVER.span("db.connect"):
        pass
    with pytest.raises(TimeoutError), OBSERVER.span("db.connect"):
        raise TimeoutError
    assert value("threengram_db_pool_wait_seconds_count") == before + 1
