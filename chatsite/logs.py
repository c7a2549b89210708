"""What log lines leave out."""

import logging


class OneLine(logging.Filter):
    """Requests that Django refuses as suspicious (a wrong Host header, for one) come from scanners by the
    thousand: each is one line that says what was wrong, without the stack of our own code.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Always True; takes the traceback off."""
        if record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True
