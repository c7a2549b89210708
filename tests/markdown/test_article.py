"""The two streams of Chrome's article on streamed answers, in the article's own pieces."""

from streamrender.markdown import MarkdownStream, render_markdown
from tests.markdown import laws

FUNCTION = [
    "```javascript\nfunction",
    " isEven(number) {\n // Check if the number is an integer.\n",
    " if (Number.isInteger(number)) {\n // Use the modulo operator",
    " (%) to check if the remainder after dividing by 2 is 0.\n return number % 2 === 0; \n } else {\n ",
    "// Return false if the number is not an integer.\n return false;\n }\n}\n\n"
    "// Example usage:\nconsole.log(isEven(",
    "4)); // Output: true\nconsole.log(isEven(7)); // Output: false\n"
    "console.log(isEven(3.5)); // Output: false\n```\n\n**Explanation:**\n\n1. **`isEven(",
    "number)` function:**\n - Takes a single argument `number` representing the number to be checked.\n"
    " - Checks if the `number` is an integer using `Number.isInteger()`.\n - If it's an",
]
LIST = FUNCTION[5].rsplit("\n", 1)[1], FUNCTION[6]


def test_bold_code_in_a_list_item_from_the_first_piece() -> None:
    markdown = MarkdownStream()
    assert LIST[0] == "1. **`isEven("
    markdown.feed(LIST[0])
    assert markdown.html == "<ol>\n<li><strong><code>isEven(</code></strong></li>\n</ol>\n"
    for character in LIST[1]:
        markdown.feed(character)
        assert "**" not in markdown.html
        assert "`" not in markdown.html


def test_no_fence_shows_while_the_function_arrives() -> None:
    markdown = MarkdownStream()
    for piece in FUNCTION:
        markdown.feed(piece)
        assert "`" not in markdown.html
        assert "**" not in markdown.html
        assert markdown.html.count("<pre>") == 1
    markdown.close()
    assert markdown.html == render_markdown("".join(FUNCTION))


def test_the_laws_hold_for_the_pieces_and_for_every_character() -> None:
    for pieces in (FUNCTION, LIST):
        text = "".join(pieces)
        ends = [sum(map(len, pieces[: i + 1])) for i in range(len(pieces))]
        laws.stream(text, ends)
        laws.stream(text, laws.every(text))
