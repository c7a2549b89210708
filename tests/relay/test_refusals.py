"""A refused turn is stored as such, also without a word of an answer, and stays out of later requests."""

from typing import Any

from tests.relay.upstream import answer, start, stop


async def test_an_empty_refusal_takes_its_question_along(open_page: Any, upstream: Any) -> None:
    async with upstream([start(), stop("refusal")], answer("Morning.")) as fake:
        page = await open_page()
        refused = (await page.submit("FORBIDDEN"))["turn"]
        shown = await page.ended(refused)
        assert shown["turn"]["ending"] == "refusal"
        after = (await page.submit("Good morning", parent=refused))["turn"]
        await page.ended(after)
    texts = [block["text"] for message in fake.requests[1]["messages"] for block in message["content"]]
    assert texts == ["Good morning"]
