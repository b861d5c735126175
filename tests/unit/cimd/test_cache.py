"""What the document cache keeps."""

from datetime import UTC, datetime, timedelta

from threengram.cimd.cache import DocumentCache
from threengram.schema.oauth import ClientMetadata, ResolveResponse

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def resolved(ttl_s: int = 60) -> ResolveResponse:
    document = ClientMetadata(client_id="https://a.example/c", client_name="A", redirect_uris=["https://a.example/cb"])
    return ResolveResponse(
        document=document, fetched_at=NOW, expires_at=NOW + timedelta(seconds=ttl_s), may_serve_stale=True
    )


def test_a_document_is_returned_until_the_moment_it_expires() -> None:
    cache = DocumentCache(max_entries=2, max_bytes=100)
    cache.put("a", resolved(60), 10)
    assert cache.get("a", NOW + timedelta(seconds=59)) is not None
    assert cache.get("a", NOW + timedelta(seconds=60)) is None
    assert (len(cache), cache.size_bytes) == (0, 0)


def test_the_least_recently_used_document_makes_room() -> None:
    cache = DocumentCache(max_entries=2, max_bytes=100)
    cache.put("a", resolved(), 10)
    cache.put("b", resolved(), 10)
    cache.get("a", NOW)
    cache.put("c", resolved(), 10)
    assert [cache.get(url, NOW) is not None for url in "abc"] == [True, False, True]


def test_all_documents_together_stay_within_the_bytes() -> None:
    cache = DocumentCache(max_entries=10, max_bytes=100)
    for url in "abc":
        cache.put(url, resolved(), 40)
    cache.put("d", resolved(), 101)
    cache.put("c", resolved(), 30)
    assert [cache.get(url, NOW) is not None for url in "abcd"] == [False, True, True, False]
    assert cache.size_bytes == 70


def test_a_document_that_expires_at_once_replaces_the_kept_one_and_is_not_kept() -> None:
    cache = DocumentCache(max_entries=2, max_bytes=100)
    cache.put("a", resolved(), 10)
    cache.put("a", resolved(0), 10)
    assert cache.get("a", NOW) is None


def test_a_cache_without_entries_keeps_nothing() -> None:
    cache = DocumentCache(max_entries=0, max_bytes=100)
    cache.put("a", resolved(), 10)
    assert (len(cache), cache.size_bytes) == (0, 0)
