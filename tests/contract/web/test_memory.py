"""The page of one memory."""

from tests.contract.web.stack import Browser, Owner, Pages
from tests.contract.web.writing import a_writer, words_of


async def test_smoke(pages: Pages, browser: Browser, olga: Owner) -> None:
    writer = await a_writer(pages, browser, olga)
    await browser.log_in(olga.email)
    memory_id = await writer.memory(
        memoryType="commitment", dueAt="2026-01-01T00:00:00Z", facts=[{"subject": "s", "predicate": "p", "value": "1"}]
    )
    shown = await browser.get(f"/memories/{memory_id}")
    print(words_of(shown.text))
    assert shown.status_code == 200
    shown = await browser.get(f"/memories/{memory_id}/correct")
    print(words_of(shown.text))
    assert shown.status_code == 200
    for path in ("/memories", "/facts", "/commitments"):
        shown = await browser.get(path)
        print(words_of(shown.text))
        assert shown.status_code == 200
