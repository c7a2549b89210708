"""axe-core, which judges a page's accessibility: fetched from npm into .cache/ when first asked for."""

from typing import Any

from playwright.sync_api import Page

from tests.npm import packed

VERSION = "4.14.1"


def violations(page: Page) -> list[str]:
    """What axe finds on the page as it is now: the rule, and the elements that break it."""
    page.evaluate(f"() => {{ {packed('axe-core', VERSION, 'axe.min.js')} }}")
    found: list[dict[str, Any]] = page.evaluate("axe.run(document).then((result) => result.violations)")
    return [f"{one['id']}: {[node['html'][:160] for node in one['nodes']]}" for one in found]
