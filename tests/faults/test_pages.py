"""Requests over HTTP that are not what a browser sends, at a real server."""

import aiohttp

from tests.faults.house import House, log_of
from tests.faults.upstream import upstream_at
from tests.relay.upstream import answer


async def test_head_answers_as_get_does(house: House) -> None:
    async with upstream_at(house.port, answer("Yes.")), house.tab() as tab:
        # Long enough that the page is sent in several pieces.
        await tab.ended((await tab.submit("Go " + "on and " * 6000))["turn"])
    async with aiohttp.ClientSession(headers=house.headers()) as http:
        for path in ("/", f"/c/{tab.conversation}/", "/search/?q=go", "/livez", "/login/"):
            async with http.head(house.base + path, allow_redirects=False) as head:
                async with http.get(house.base + path, allow_redirects=False) as got:
                    assert head.status == got.status, path
                    assert head.content_type == got.content_type, path
                    assert bool(await got.read()) == (got.status == 200)
                assert await head.read() == b""
        async with http.head(f"{house.base}/c/{tab.conversation}/") as head:
            assert int(head.headers["Content-Length"]) > 2**16


async def test_wrong_host_is_one_line_in_the_log(house: House) -> None:
    before = log_of(house.data).stat().st_size
    async with (
        aiohttp.ClientSession() as http,
        http.get(house.base + "/", headers={"Host": "evil.example"}) as response,
    ):
        assert response.status == 400
    logged = log_of(house.data).read_text()[before:].splitlines()
    assert len(logged) == 1, logged
    assert "Invalid HTTP_HOST header: 'evil.example'" in logged[0]
