"""What a tool gave back, as plain text: the page shows it with its white space and never as HTML.

Provider-run tools answer in a dozen shapes (wire notes: web search, fetch, code execution, text editor,
MCP, tool search). Known ones become the text a reader wants; anything else is shown as its JSON. `False`,
`0` and `""` are results. Pictures are no text: pictures.py has them.
"""

import json
from typing import Any

from streamrender.page.pictures import is_picture

_WORDS = ("text", "stdout", "stderr", "title", "url", "error_code", "error_message", "tool_name", "file_id")


def result_text(content: Any) -> str:
    """The text of a result's content: a string, one block, or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for text in map(_block_text, content) if text)
    return _block_text(content)


def result_failed(block: dict[str, Any]) -> bool:
    """True when a result block says that the tool failed."""
    content = block.get("content")
    kind = content.get("type") if isinstance(content, dict) else None
    failed = isinstance(kind, str) and kind.endswith("_error")
    code = content.get("return_code") if isinstance(content, dict) else None
    return bool(block.get("is_error")) or failed or (isinstance(code, int) and code != 0)


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return "" if block is None else json.dumps(block, ensure_ascii=False)
    if is_picture(block):
        return ""
    if block.get("type") == "document" and isinstance(block.get("source"), dict):
        title, data = block.get("title"), block["source"].get("data")
        if isinstance(data, str) and block["source"].get("type") == "text":
            return f"{title}\n{data}" if isinstance(title, str) and title else data
    lines = [block[word] for word in _WORDS if isinstance(block.get(word), str) and block[word]]
    for nested in ("content", "tool_references", "lines"):
        inner = block.get(nested)
        if isinstance(inner, (list, dict)) or (isinstance(inner, str) and inner):
            lines.append(result_text(inner))
    known = [line for line in lines if line]
    if known or set(block) & {"stdout", "text", "content"}:
        return "\n".join(known)
    return json.dumps(block, ensure_ascii=False)
