"""The page for other readers and on paper: right-to-left text, print, less motion, dark paper settings."""

import pytest
from playwright.sync_api import expect

from tests.js.pages import live, page, text, thinking, tool, turn
from tests.js.stage import Stage, snapshot

ARABIC = "".join(
    (
        "<p>لتر الماء <code>1.000 kg</code> أثقل.</p><ul><li>الماء</li></ul>",
        "<blockquote><p>جليد</p></blockquote><pre><code>x = 1</code></pre>",
    )
)
# The right edge of a text, measured from the right edge of its box, and the same on the left.
GAPS = """element => {
    const range = document.createRange(); range.selectNodeContents(element);
    const text = range.getBoundingClientRect(), box = element.getBoundingClientRect();
    return [text.left - box.left, box.right - text.right];
}"""


def test_right_to_left_text_stands_at_the_right_in_a_left_to_right_page(stage: Stage) -> None:
    english = text("<p>Water is heavier.</p>", id="1.2")
    stage.converse([snapshot(1, page(turn(), text(ARABIC), english), text="أيهما أثقل؟")]).open()
    for selector in ("text-pane p >> nth=0", "text-pane blockquote p"):
        left, right = stage.page.locator(selector).first.evaluate(GAPS)
        assert right <= 1, selector
        assert left >= right, selector
    left, right = stage.page.get_by_text("Water is heavier.").evaluate(GAPS)
    assert left <= 1 < right
    assert stage.page.locator("[data-part=question]").evaluate("one => one.matches(':dir(rtl)')")
    marker = stage.page.locator("text-pane li").evaluate("li => getComputedStyle(li).direction")
    assert marker == "rtl"
    code = stage.page.locator("text-pane p code").evaluate("one => getComputedStyle(one).unicodeBidi")
    assert code == "isolate", "signs of code and of the text around it change places"
    left, right = stage.page.locator("text-pane pre code").evaluate(GAPS)
    assert left <= 1 < right, "code starts at the left"


def test_what_is_written_from_right_to_left_shows_so_while_it_is_written(stage: Stage) -> None:
    stage.open()
    box = stage.page.locator("#message")
    box.fill("أيهما أثقل؟")
    assert box.evaluate("box => box.matches(':dir(rtl)')")
    box.fill("Which?")
    assert box.evaluate("box => box.matches(':dir(ltr)')")


def test_on_paper_there_is_the_whole_conversation_and_nothing_to_press(stage: Stage) -> None:
    long = "<p>Words and words.</p>" * 80 + "<pre><code>" + "wide " * 100 + "</code></pre><p>The end.</p>"
    turns = [snapshot(1, page(turn(), thinking(), tool(), text(long, id="1.3")), text="How?")]
    stage.converse(turns).open()
    stage.page.emulate_media(media="print", color_scheme="dark")
    for selector in ("#composer", "#sidebar", ".topbar", "[data-action=copy-answer]", "[data-action=jump]"):
        expect(stage.page.locator(selector).first).to_be_hidden()
    end = stage.page.get_by_text("The end.")
    expect(end).to_be_visible()
    # Nothing is behind an edge: the thread is as tall as what it holds, and the code as wide as its box.
    below = "end => document.documentElement.scrollHeight - end.getBoundingClientRect().bottom - scrollY"
    assert end.evaluate(below) >= 0
    assert stage.page.evaluate("document.documentElement.scrollHeight > innerHeight")
    assert stage.page.locator("text-pane pre").evaluate("pre => pre.scrollWidth <= pre.clientWidth")
    paper, ink = stage.page.evaluate(
        """() => {
            const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
            const light = (colour) => {
                canvas.fillStyle = 'white'; canvas.fillRect(0, 0, 1, 1);
                canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
                const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data; return r + g + b;
            };
            const body = getComputedStyle(document.body);
            return [light(body.backgroundColor), light(body.color)];
        }"""
    )
    assert paper > 700 > 300 > ink


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_less_motion_means_that_nothing_moves(stage: Stage, motion: str) -> None:
    stage.page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
    stage.converse([snapshot(1, page(live("thinking"), thinking(state="live", ended_at=None)))]).open()
    stage.sent("hello")
    moving = stage.page.evaluate(
        "document.getAnimations().filter(one => one.effect.getComputedTiming().duration > 20).length"
    )
    assert (moving > 0) == (motion == "no-preference")


@pytest.mark.parametrize("arrives", [True, False])
def test_lines_of_code_are_as_high_without_the_slanted_face(stage: Stage, arrives: bool) -> None:
    """Comments are slanted; where that face is late, what stands in for it must not move the lines."""
    if not arrives:
        stage.page.route("**/ibm-plex-mono-latin-400-italic*", lambda route: route.abort())
    plain, comment = "a\n" * 20, '<span class="c1">a</span>\n' * 20
    html = f"<pre><code>{plain}</code></pre><pre><code>{comment}</code></pre>"
    stage.converse([snapshot(1, page(turn(), text(html)))]).open()
    stage.page.evaluate("document.fonts.ready.then(() => null)")
    code = "[...document.querySelectorAll('text-pane code')]"
    heights = stage.page.evaluate(f"{code}.map(one => one.getBoundingClientRect().height)")
    assert heights[0] == heights[1] > 300
    stage.errors.clear()  # a face that was refused is one
