"""Reads a page strictly, as no browser does: every element closed, everything named, nothing from outside."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "br"}


class PageReader(HTMLParser):
    """What a page is made of. wrong: what a good page does not do."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.headings: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.drawings = 0
        self.tables = 0
        self.words = ""
        self.advice: list[str] = []
        self.commands: list[str] = []
        self.facts: dict[str, str] = {}
        self._name = ""
        self._captions: list[bool] = []
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")
        if re.search(r"(?:src|href)=\"(?!#)|url\((?!#)|@import|https?://", text):
            self.wrong.append("asks for something from outside")
        self.wrong += [f"link to nowhere: {link}" for link in self.links if link[1:] not in self.ids]
        if len(set(self.ids)) != len(self.ids):
            self.wrong.append("two elements of one name")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if tag == "a" else []
        if tag in ("script", "iframe", "img", "link", "object") or any(name.startswith("on") for name in given):
            self.wrong.append(f"<{tag}> {given}")
        if tag == "svg":
            self.drawings += 1
            if not given.get("aria-label") or given.get("role") != "img":
                self.wrong.append("a drawing without a name")
        if tag == "table":
            self.tables += 1
            self._captions.append(False)
        if tag == "caption":
            self._captions[-1] = True
        if tag in ("h1", "h2", "h4", "summary"):
            self.headings.append("")
        if tag == "li":
            self.advice.append("")
        if tag == "code":
            self.commands.append("")
        if tag == "dt":
            self._name = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()
        if tag == "table" and not self._captions.pop():
            self.wrong.append("a table without a caption")

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        if not ("svg" in self.open and "title" in self.open):
            self.words += data
        at = self.open[-1] if self.open else ""
        if at in ("h1", "h2", "h4", "summary"):
            self.headings[-1] += data
        if "li" in self.open:
            self.advice[-1] += data
        if at == "code":
            self.commands[-1] += data
        if at == "dt":
            self._name += data
        if at == "dd":
            self.facts[self._name] = self.facts.get(self._name, "") + data
