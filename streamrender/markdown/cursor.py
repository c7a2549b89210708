"""A position in one line, in characters and in columns: a tab reaches the next multiple of four.

The arithmetic is that of the CommonMark reference parsers: a container may consume part of a tab.
"""


class Cursor:
    __slots__ = ("blank", "column", "indent", "next", "next_column", "offset", "partial", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = 0
        self.column = 0
        self.partial = False  # inside a tab: the rest of it counts as spaces
        self.find()

    def find(self) -> None:
        """Look for the next character that is neither space nor tab."""
        text, at, column = self.text, self.offset, self.column
        end = len(text)
        while at < end:
            c = text[at]
            if c == " ":
                column += 1
            elif c == "\t":
                column += 4 - column % 4
            else:
                break
            at += 1
        self.next = at
        self.next_column = column
        self.indent = column - self.column
        self.blank = at >= end

    def advance(self, count: int, columns: bool = False) -> None:
        """Go `count` characters on, or `count` columns."""
        text = self.text
        while count > 0 and self.offset < len(text):
            if text[self.offset] == "\t":
                to_tab = 4 - self.column % 4
                if columns:
                    self.partial = to_tab > count
                    step = min(count, to_tab)
                    self.column += step
                    self.offset += 0 if self.partial else 1
                    count -= step
                else:
                    self.partial = False
                    self.column += to_tab
                    self.offset += 1
                    count -= 1
            else:
                self.partial = False
                self.offset += 1
                self.column += 1
                count -= 1

    def skip(self) -> None:
        """Go to the next character that is neither space nor tab."""
        self.offset = self.next
        self.column = self.next_column
        self.partial = False

    def peek(self) -> str:
        """The character under the cursor, "" at the end."""
        return self.text[self.offset : self.offset + 1]

    def rest(self) -> str:
        """The text from the cursor on; the unconsumed part of a tab as spaces."""
        if self.partial:
            return " " * (4 - self.column % 4) + self.text[self.offset + 1 :]
        return self.text[self.offset :]
