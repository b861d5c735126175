"""What is on the pages is written over REST, by a program of the same person."""

import re
from html import unescape
from typing import Any

from tests.contract.rest.stack import BOTH, Rest
from tests.contract.web.stack import Browser, Owner, Pages
from threengram.core.identity.api_keys import create_api_key

TOPIC = re.compile(r'<h3 dir="auto"><a href="/memories/[0-9a-f-]{36}">(.*?)</a></h3>', flags=re.DOTALL)
TAGS = re.compile(r"<[^>]+>")
MAIN = re.compile(r"<main.*</main>", flags=re.DOTALL)


async def a_writer(pages: Pages, browser: Browser, owner: Owner) -> "Writer":
    """Requests with a new key of somebody."""
    core = pages.core
    made = await create_api_key(
        core.database, owner.principal, name="a key", scopes=BOTH, now=core.clock(), expires_at=None
    )
    return Writer(browser.http, made.text)


class Writer(Rest):
    """Writes memories."""

    async def memory(self, **given: Any) -> str:
        """The id of a new memory; a note unless something else is said."""
        note = {"memoryType": "note", "topic": "A topic", "content": "A content"}
        answer = await self.post("/memories", note | given)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["memory"]["id"])

    async def done(self, path: str, **given: Any) -> Any:
        """The answer of a request that has to succeed."""
        answer = await self.post(path, given)
        assert answer.is_success, answer.text
        return answer.json()


def words_of(html: str) -> str:
    """What a reader of the page's main part reads, white space made one."""
    (main,) = MAIN.findall(html)
    return " ".join(unescape(TAGS.sub(" ", main)).split())


def address_of(html: str, words: str) -> str:
    """Where the link with these words leads."""
    found = re.search(rf'<a [^>]*href="([^"]+)"[^>]*>{re.escape(words)}', html)
    assert found is not None, words_of(html)
    return unescape(found[1])


def topics_of(html: str) -> list[str]:
    """The topics of the results on a page of memories."""
    return [unescape(topic) for topic in TOPIC.findall(html)]
