"""What a file is, by its bytes alone: a name or a declared type may say anything."""


def sniffed(data: bytes) -> tuple[str, str] | None:
    """(kind, media type) of an image, a PDF or UTF-8 text; None for everything else.

    >>> sniffed(b"%PDF-1.7 ..."), sniffed("héllo".encode()), sniffed(b"MZ\\x90\\x00")
    (('pdf', 'application/pdf'), ('text', 'text/plain'), None)
    """
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image", "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image", "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image", "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image", "image/webp"
    if data.startswith(b"%PDF-"):
        return "pdf", "application/pdf"
    return ("text", "text/plain") if _is_text(data) else None


def _is_text(data: bytes) -> bool:
    """UTF-8 without control characters but white space, backspace and escape."""
    if any(byte in data for byte in _CONTROLS):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_CONTROLS = [byte for byte in range(32) if byte not in (8, 9, 10, 12, 13, 27)]
