"""Reads the text form of protocol buffers: fields and messages within each other, with the numbers of their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from allport.errors import failure

__all__ = ["Message", "Value", "parse"]

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f\v]+|\#[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<word>[-+]?[A-Za-z0-9_.]+)|(?P<mark>[][{}<>:,;])"""
)
MOST_DEPTH = 100


@dataclass(frozen=True)
class Value:
    """A number, a name of an enumeration, true or false, or text in quotes, as it stands in the file."""

    word: str
    line: int
    quoted: bool = False


@dataclass
class Message:
    """Fields in their order."""

    line: int
    fields: list[tuple[str, Value | Message]] = field(default_factory=list)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int


def _tokens(text: str, where: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise failure(f"{where}, line {line}: '{text[at : at + 20].splitlines()[0]}': expected a field or a value")
        kind = str(found.lastgroup)
        if kind != "space":
            yield _Token(kind, found[0], line)
        line += found[0].count("\n")
        at = found.end()
    yield _Token("end", "the end", line)


class _Parser:
    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self.tokens = list(_tokens(text, where))
        self.at = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def fail(self, expected: str) -> NoReturn:
        raise failure(f"{self.where}, line {self.next.line}: '{self.next.text[:40]}': expected {expected}")

    def takes(self, *marks: str) -> str:
        """The next token if it is one of these marks, else ''."""
        if self.next.kind == "mark" and self.next.text in marks:
            self.at += 1
            return self.tokens[self.at - 1].text
        return ""

    def message(self, end: str, depth: int = 0) -> Message:
        """Fields up to the mark that ends the message; '' for that of the file."""
        made = Message(self.next.line)
        if depth > MOST_DEPTH:
            self.fail(f"at most {MOST_DEPTH} messages within each other")
        while not (self.next.kind == "end" if not end else self.takes(end)):
            if self.next.kind != "word":
                self.fail("the name of a field" + (f", or '{end}'" if end else ""))
            name = self.next.text
            self.at += 1
            colon = self.takes(":")
            if self.takes("["):
                while not self.takes("]"):
                    made.fields.append((name, self.value(depth, True)))
                    if not self.takes(","):
                        if not self.takes("]"):
                            self.fail("',' or ']'")
                        break
            else:
                made.fields.append((name, self.value(depth, bool(colon))))
            self.takes(",", ";")
        return made

    def value(self, depth: int, scalar: bool) -> Value | Message:
        """A message, or, where a colon stands before it, another value."""
        if mark := self.takes("{", "<"):
            return self.message("}" if mark == "{" else ">", depth + 1)
        token = self.next
        if not scalar or token.kind not in ("word", "text"):
            self.fail("a value" if scalar else "':' or '{'")
        self.at += 1
        if token.kind == "word":
            return Value(token.text, token.line)
        text = token.text[1:-1]
        while self.next.kind == "text":  # texts side by side are one
            text += self.next.text[1:-1]
            self.at += 1
        return Value(re.sub(r"\\(.)", r"\1", text), token.line, quoted=True)


def parse(text: str, where: str) -> Message:
    """The fields of a file. where: the file, for errors. Raises Error naming the line."""
    return _Parser(text, where).message("")
