"""An answer that met a limit is gone on with in one turn, and reads as one message everywhere."""

from typing import Any

from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone

from chatsite.accounts.models import User
from chatsite.chats import archive
from chatsite.chats.export import markdown
from chatsite.chats.models import Conversation, Message
from chatsite.relay.models import Turn
from chatsite.relay.pages import page_of
from tests.relay.upstream import answer, block, start, stop

HALF = [
    start(),
    *block(0, "thinking", ["Hm."]),
    *block(1, "text", ["One **bo"]),
    stop("max_tokens", tokens=7),
]
REST = [start("msg_2"), *block(0, "thinking", ["On."]), *block(1, "text", ["ld** wo", "rd."]), stop()]
WHOLE = "One **bold** word."


async def test_it_is_one_message_on_the_page_and_in_what_is_saved(open_page: Any, upstream: Any) -> None:
    async with upstream(HALF, REST, answer("Fine.")) as fake:
        page = await open_page()
        cut = (await page.submit("Why?"))["turn"]
        assert (await page.ended(cut))["turn"]["ending"] == "length"
        whole = (await page.submit("", retry=cut, **{"continue": True}))["turn"]
        shown = await page.ended(whole)
        assert [pane["kind"] for pane in shown["panes"]] == ["thinking", "text", "thinking"]
        assert shown["panes"][1]["markdown"] == WHOLE
        assert shown["turn"]["ending"] == "complete"
        assert shown["turn"]["usage"]["output_tokens"] == 27
        assert page.turns[whole]["parent"] == page.turns[cut]["parent"]
        await page.ended((await page.submit("And then?", parent=whole))["turn"])

    asked, later = fake.requests[1]["messages"], fake.requests[2]["messages"]
    assert asked[1]["content"][-1]["text"] == "One **bo"
    assert [message["role"] for message in asked] == ["user", "assistant", "user"]
    assert "Continue exactly where" in asked[2]["content"][0]["text"]
    # Later there is one question and one answer to it; signed thinking stays where it was.
    assert [message["role"] for message in later] == ["user", "assistant", "user"]
    assert "".join(b["text"] for b in later[1]["content"] if b["type"] == "text") == WHOLE
    assert "Continue exactly" not in str(later)

    def saved() -> None:
        conversation = Conversation.objects.get(id=page.conversation)
        written = markdown(conversation)
        assert WHOLE in written
        assert written.count("## You\n\nWhy?") == written.count("## Assistant") - 1 == 1
        found = Turn.objects.get(id=whole)
        assert page_of(found) == (page.turns[whole]["rev"], shown)
        found.page = None
        assert page_of(found) == (page.turns[whole]["rev"], shown)
        again = archive.read(conversation.owner_id, archive.written(conversation))
        assert WHOLE in markdown(again)

    await sync_to_async(saved)()


async def test_the_inspector_lists_the_requests_of_all_that_it_goes_on_with(
    open_page: Any, upstream: Any
) -> None:
    half = answer("Hel", reason="max_tokens")
    async with upstream(half, answer("lo, wo", reason="max_tokens"), answer("rld.")):
        page = await open_page()
        turns = [(await page.submit("Why?"))["turn"]]
        await page.ended(turns[0])
        for _ in range(2):
            turns.append((await page.submit("", retry=turns[-1], **{"continue": True}))["turn"])
            await page.ended(turns[-1])

    def inspected(turn: str, path: str = "") -> Any:
        client = Client()
        client.force_login(User.objects.get(username="ann"))
        response = client.get(f"/inspect/{turn}/{path}")
        assert response.status_code == 200
        return response.json()

    told = await sync_to_async(inspected)(turns[2])
    assert [(one["turn"], one["number"]) for one in told["exchanges"]] == [(turn, 1) for turn in turns]
    assert told["figures"]["tokens"] == 60
    assert [one["turn"] for one in (await sync_to_async(inspected)(turns[0]))["exchanges"]] == turns[:1]
    rows = (await sync_to_async(inspected)(turns[0], "1/"))["rows"]
    assert any("Hel" in row["data"] for row in rows)

    await sync_to_async(Turn.objects.filter(id=turns[0]).update)(removed_at=timezone.now())
    told = await sync_to_async(inspected)(turns[2])
    assert [one["turn"] for one in told["exchanges"]] == turns[1:]


async def test_a_text_without_thinking_between_is_one_block_upstream(open_page: Any, upstream: Any) -> None:
    async with upstream(answer("Hel", reason="max_tokens"), answer("lo."), answer("Fine.")) as fake:
        page = await open_page()
        cut = (await page.submit("Why?"))["turn"]
        await page.ended(cut)
        whole = (await page.submit("", retry=cut, **{"continue": True}))["turn"]
        await page.ended(whole)
        await page.ended((await page.submit("So?", parent=whole))["turn"])
    assert fake.requests[2]["messages"][1]["content"] == [{"type": "text", "text": "Hello."}]


async def test_only_an_answer_that_ended_too_early_can_be_gone_on_with(open_page: Any, upstream: Any) -> None:
    async with upstream(answer("All said.")):
        page = await open_page()
        turn = (await page.submit("Why?"))["turn"]
        await page.ended(turn)
        refused = await page.submit("", retry=turn, **{"continue": True})
    assert (refused["type"], refused["code"]) == ("no", "not_found")
    assert await sync_to_async(Message.objects.filter(role="user").count)() == 1
