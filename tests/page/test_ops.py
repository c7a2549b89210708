"""Operations: `diff` and `apply` are inverse, and what did not change is not rebuilt."""

from hypothesis import given, settings
from hypothesis import strategies as st

from streamrender.page.ops import apply, apply_html, diff
from streamrender.page.tree import Element, Node, Text, normalised, parse, serialize

_TEXT = st.text("ab<&\n", min_size=1, max_size=4).map(Text)


def _element(children: st.SearchStrategy[list[Node]]) -> st.SearchStrategy[Node]:
    tags = st.sampled_from(["p", "ul", "li", "em"])
    return st.builds(lambda tag, nodes: Element(tag, (), normalised(nodes)), tags, children)


_NODES = st.recursive(_TEXT, lambda inner: _element(st.lists(inner, max_size=3)), max_leaves=12)
TREES = st.lists(_NODES, max_size=5).map(normalised)


@settings(deadline=None, derandomize=True, max_examples=400, database=None)
@given(TREES, TREES)
def test_apply_after_diff_gives_the_new_tree(old: list[Node], new: list[Node]) -> None:
    root = Element("root", (), parse(serialize(old)))
    apply(root, diff(old, new))
    assert serialize(root.children) == serialize(new)


@given(TREES)
@settings(deadline=None, derandomize=True, max_examples=100, database=None)
def test_no_change_needs_no_operation(tree: list[Node]) -> None:
    assert diff(tree, parse(serialize(tree))) == []
    assert serialize(parse(serialize(tree))) == serialize(tree)


def ops(old: str, new: str) -> list[object]:
    return diff(parse(old), parse(new))


def test_a_text_that_grew_at_the_right_edge_gets_only_what_is_new() -> None:
    assert ops("<p>a</p>\n", "<p>ab</p>\n") == [["t", 1, "b"]]
    assert ops("<ul>\n<li>a <em>b</em></li>\n</ul>\n", "<ul>\n<li>a <em>bc</em></li>\n</ul>\n") == [
        ["t", 3, "c"]
    ]


def test_a_new_block_is_appended() -> None:
    assert ops("<p>a</p>\n", "<p>a</p>\n<p>b</p>\n") == [["p", 0, 2, "<p>b</p>\n"]]


def test_a_change_away_from_the_right_edge_names_its_path() -> None:
    change = ops("<p>a [b]</p>\n<p>c</p>\n", '<p>a <a href="u">b</a></p>\n<p>c</p>\n')
    assert change == [["s", [0], 0, 1, 'a <a href="u">b</a>']]


def test_text_nodes_are_joined() -> None:
    assert apply_html("<p>a<em>b</em>c</p>", [["s", [0], 1, 1, "x"]]) == "<p>axc</p>"
    root = Element("root", (), parse("<p>a<em>b</em>c</p>"))
    apply(root, [["s", [0], 1, 1, ""]])
    paragraph = root.children[0]
    assert isinstance(paragraph, Element)
    assert len(paragraph.children) == 1
