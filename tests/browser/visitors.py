"""People at their browsers: contexts that are logged in, and a watch over all of their pages.

Contexts without wishes of their own are used again by the next test, with cookies and stores put back: so the
browser's cache holds the app's files, and a page opens in a fraction of the time.
"""

from typing import Any

from playwright.sync_api import Browser, BrowserContext

from tests.browser.app import App
from tests.browser.chat import Chat
from tests.browser.watch import Watch


class Visitors:
    """Opens pages for tests. `watches`: those of the running test."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._logins: dict[str, Any] = {}
        self._shared: dict[str, tuple[BrowserContext, Watch]] = {}
        self._own: list[BrowserContext] = []
        self.watches: list[Watch] = []

    def visit(self, app: App, *scripts: str, own_login: bool = False, **options: Any) -> Chat:
        """A new tab of a visitor who is logged in to the app; `scripts` run before the page's own.

        All visitors of an app share one session, except those with their own login, who may log out.
        """
        if own_login or options:
            state = self.login(app) if own_login else self._state(app)
            context, watch = self._open({"storage_state": state} | options)
            self._own.append(context)
        else:
            if app.url not in self._shared:
                self._shared[app.url] = self._open({"storage_state": self._state(app)})
            context, watch = self._shared[app.url]
        if watch not in self.watches:
            self.watches.append(watch)
        page = context.new_page()
        for script in scripts:
            page.add_init_script(script)
        return Chat(page, app.url)

    def second_tab(self, chat: Chat) -> Chat:
        """Another tab of the same visitor."""
        return Chat(chat.page.context.new_page(), chat.base)

    def login(self, app: App) -> Any:
        """A new session with the app: cookies, as Playwright keeps them."""
        context = self._browser.new_context()
        context.new_page().goto(app.entry())
        state = context.storage_state()
        context.close()
        return state

    def allow(self, *patterns: str) -> None:
        """Let these complaints pass in this test."""
        for watch in self.watches:
            watch.allow(*patterns)

    def pages(self) -> list[Any]:
        """Every page that is open."""
        contexts = [*self._own, *(context for context, _ in self._shared.values())]
        return [page for context in contexts for page in context.pages]

    def leave(self) -> list[str]:
        """Close every page and put the shared contexts back; gives what pages complained about."""
        found = [complaint for watch in self.watches for complaint in watch.taken()]
        for url, (context, _) in self._shared.items():
            for page in context.pages:
                if page.url.startswith("http"):
                    page.evaluate("localStorage.clear()")
                page.close()
            context.set_offline(False)
            context.clear_cookies()
            context.add_cookies(self._logins[url]["cookies"])
        for context in self._own:
            context.close()
        self._own.clear()
        self.watches.clear()
        return found

    def _open(self, options: dict[str, Any]) -> tuple[BrowserContext, Watch]:
        context = self._browser.new_context(**options)
        return context, Watch(context)

    def _state(self, app: App) -> Any:
        if app.url not in self._logins:
            self._logins[app.url] = self.login(app)
        return self._logins[app.url]
