"""The reference of C and C++, a page a module, from the public headers: every public name with its `///` comment.

A header is parsed by tree-sitter, so that nothing hangs on how a declaration is broken into lines; what comes out are
directives of Sphinx's C and C++ domains, which make names objects of the search and of the index.
A comment is for the declaration that it stands on or behind, and for those that follow without a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter_cpp
from tree_sitter import Language, Node, Parser

BODIES = {
    "compound_statement",
    "field_initializer_list",
    "default_method_clause",
    "delete_method_clause",
    "try_statement",
}
TYPES = {"class_specifier": "class", "struct_specifier": "struct", "enum_specifier": "enum", "union_specifier": "union"}
DECLARATIONS = {"declaration", "field_declaration", "function_definition", "alias_declaration", "type_definition"}
INSIDE = {"preproc_ifdef", "preproc_if", "preproc_else", "linkage_specification", "declaration_list"}


@dataclass
class Entry:
    """One public name, or a scope with its members."""

    kind: str  # class, struct, enum, enumerator, function, member, var, type, union
    signature: str
    doc: list[str] = field(default_factory=list)
    members: list[Entry] = field(default_factory=list)
    line: int = 0
    grouped: bool = False  # the comment of what stands right above speaks of it, too

    @property
    def documented(self) -> bool:
        return bool(self.doc) or self.grouped


@dataclass
class Header:
    """A header: what its first comment says, and its entries by namespace."""

    name: str
    about: list[str]
    scopes: list[tuple[str, list[Entry]]]


def parse(text: str, name: str) -> Header:
    """Reads a header's text."""
    tree = Parser(Language(tree_sitter_cpp.language())).parse(text.encode())
    header = Header(name, [], [])
    first = tree.root_node.children[0] if tree.root_node.children else None
    if first is not None and first.type == "comment":
        header.about = _first_comment(tree.root_node.children)
    _walk(tree.root_node, "", header)
    return header


def _first_comment(nodes: list[Node]) -> list[str]:
    lines: list[str] = []
    for i, node in enumerate(nodes):
        if node.type != "comment" or (i > 0 and node.start_point[0] != nodes[i - 1].end_point[0] + 1):
            break
        lines += comment_lines(_text(node))
    return lines


def _text(node: Node) -> str:
    assert node.text is not None
    return node.text.decode()


def comment_lines(text: str) -> list[str]:
    """A comment's lines without what makes it one."""
    if text.startswith("/*"):
        inner = text[2:-2].lstrip("*<")
        return [re.sub(r"^\s*\* ?", "", line).rstrip() for line in inner.strip().splitlines()]
    return [re.sub(r"^//[/!]?<? ?", "", text).rstrip()]


def _walk(parent: Node, scope: str, header: Header) -> None:
    """Takes the declarations of a namespace, and those of the namespaces in it."""
    block: list[Entry] = []
    header.scopes.append((scope, block))
    for entry, node in _declared(parent, public=True):
        if entry is not None:
            block.append(entry)
            continue
        body = node.child_by_field_name("body")
        if node.type == "namespace_definition":
            title = node.child_by_field_name("name")
            inner = "::".join(part for part in (scope, _text(title) if title else "") if part)
            if body is not None and title is not None:
                _walk(body, inner, header)
        else:
            _walk(body or node, scope, header)


def _declared(parent: Node, public: bool) -> Iterator[tuple[Entry | None, Node]]:
    """Entries of a scope in order; (None, node) for what has declarations inside."""
    pending: list[str] = []  # the comment above
    pending_end = last_end = -2
    last: Entry | None = None
    for node in parent.children:
        row = node.start_point[0]
        if node.type == "comment":
            text = _text(node)
            if last is not None and row == last_end:
                last.doc += comment_lines(text)
            elif last is not None and text.startswith("///<"):
                last.doc += comment_lines(text)  # a trailing comment's second line
                last_end = node.end_point[0]
            elif text.startswith(("///", "/*")):
                pending = (pending if row == pending_end + 1 else []) + comment_lines(text)
                pending_end = node.end_point[0]
            continue
        if node.type == "access_specifier":
            public, pending, last = _text(node).startswith("public"), [], None
        elif node.type in INSIDE or node.type == "namespace_definition":
            if node.type != "linkage_specification" or node.child_by_field_name("body") is not None:
                yield None, node
            pending, last = [], None
        elif public and (entries := _entries_of(node)):
            above = pending_end + 1 == row
            grouped = not above and last is not None and last.documented and row <= last_end + 1
            doc = (pending if above else []) + entries[0].doc
            for entry in entries:  # which share what is said of them, behind them too
                entry.line, entry.doc, entry.grouped = row + 1, doc, grouped
                yield entry, node
            pending, last, last_end = [], entries[-1], node.end_point[0]
        elif node.type == ";":
            last_end = max(last_end, node.end_point[0])
        elif node.is_named:
            pending = []


def _entries_of(node: Node) -> list[Entry]:
    """The entries of one declaration, one for each of its variables: the C++ domain takes no two names at once."""
    entry = entry_of(node)
    names = node.children_by_field_name("declarator")
    if entry is None or entry.kind not in ("member", "var") or len(names) < 2:
        return [entry] if entry is not None else []
    first = node.children.index(names[0])
    parts: list[list[Node]] = [[]]
    for child in node.children[first:]:
        if child.type == ",":
            parts.append([])
        else:
            parts[-1].append(child)
    return [Entry(entry.kind, _signature([*node.children[:first], *part])) for part in parts]


def entry_of(node: Node, template: str = "") -> Entry | None:
    """The entry of one declaration; None for what is no name of its own: friends, forward declarations, macros."""
    if node.type == "template_declaration":
        parameters = node.child_by_field_name("parameters")
        inner = next((c for c in node.named_children if c.type in DECLARATIONS | TYPES.keys()), None)
        if parameters is None or inner is None:
            return None
        requires = next((c for c in node.named_children if c.type == "requires_clause"), None)
        return entry_of(inner, f"template {_one_line(parameters)} {_one_line(requires) if requires else ''}".strip())
    if node.type in TYPES:
        return _type_entry(node, template)
    if node.type not in DECLARATIONS:
        return None
    kind = node.child_by_field_name("type")
    if kind is not None and kind.type in TYPES and kind.child_by_field_name("body") is not None:
        return _type_entry(kind, template)
    if node.type == "alias_declaration":
        return Entry("type", f"{template} {_one_line(node).removeprefix('using ').rstrip(';')}".strip())
    if node.type == "type_definition":
        return Entry("type", _one_line(node).removeprefix("typedef ").rstrip("; "))
    if _is_deleted(node):
        return None
    function = _is_function(node)
    if not function and node.child_by_field_name("declarator") is None:
        return None
    inside = node.parent is not None and node.parent.type == "field_declaration_list"
    return Entry(
        "function" if function else ("member" if inside else "var"), f"{template} {_signature(node.children)}".strip()
    )


def _type_entry(node: Node, template: str) -> Entry | None:
    body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is None or name is None:
        return None
    kind = TYPES[node.type]
    upto = b"".join(b"" if c == body else (c.text or b"") + b" " for c in node.children[1:])
    signature = " ".join(upto.decode().split()).replace(" ::", "::").replace(":: ", "::")
    if kind == "enum":
        signature = signature.removeprefix("class ").removeprefix("struct ")
        if node.children[1].type in ("class", "struct"):
            kind = "enum-class"
        return Entry(kind, signature, members=list(_enumerators(body)))
    signature = signature.removesuffix(" final")
    members = [entry for entry, _ in _declared(body, public=kind != "class") if entry is not None]
    return Entry(kind, f"{template} {signature}".strip(), members=members)


def _enumerators(body: Node) -> Iterator[Entry]:
    last, pending = None, []
    for node in body.children:
        if node.type == "enumerator":
            last = Entry("enumerator", _one_line(node), doc=pending, line=node.start_point[0] + 1)
            pending = []
            yield last
        elif node.type == "comment":
            if last is not None and (node.start_point[0] == last.line - 1 or _text(node).startswith("///<")):
                last.doc += comment_lines(_text(node))
            else:
                pending = pending + comment_lines(_text(node))


def _is_deleted(node: Node) -> bool:
    return any(c.type == "delete_method_clause" for c in node.children)


def _is_function(node: Node) -> bool:
    at = node.child_by_field_name("declarator")
    while at is not None and at.type not in ("function_declarator", "operator_cast"):
        at = at.child_by_field_name("declarator") or next(
            (c for c in at.named_children if c.type.endswith("declarator")), None
        )
    return at is not None


def _one_line(node: Node) -> str:
    """A node's text without comments and line ends."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", _text(node), flags=re.DOTALL)
    return " ".join(text.split())


def _signature(children: list[Node]) -> str:
    """A declaration up to its body, without attributes and with `= {...}` where a member is initialised by braces."""
    parts: list[str] = []
    for child in children:
        if child.type in BODIES or child.type == ";":
            break
        if child.type in ("attribute_declaration", "comment", "inline") or _text(child) in ("inline", "extern"):
            continue
        if child.type == "initializer_list" or child.type == "bitfield_clause":
            text = _one_line(child)
            if parts and parts[-1] == "=":
                parts.pop()
            # Designated initialisers are nothing that the C++ domain reads.
            parts.append("" if text == "{}" or re.match(r"{\s*\.", text) else f"= {text}")
            continue
        parts.append(_without_braces(child))
    text = ""
    for part in parts:
        text += part if not text or part.startswith(("&", "*")) else f" {part}"
    text = re.sub(r"\s*\[\[[^\]]*\]\]", "", text)
    text = re.sub(r" = (default|0)$", lambda m: "" if m.group(1) == "default" else " = 0", text)
    return re.sub(r" ([,;])", r"\1", text).strip()


def _without_braces(node: Node) -> str:
    """`name{value}` of a variable as `name = {value}`, which is all that the C++ domain reads."""
    text = _one_line(node)
    if node.type == "init_declarator":
        value = node.child_by_field_name("value")
        if value is not None and value.type == "initializer_list" and "=" not in [c.type for c in node.children]:
            head = _one_line(node.child_by_field_name("declarator") or node)
            inner = _one_line(value)
            return head if inner == "{}" else f"{head} = {inner}"
    return text


def markdown(lines: list[str]) -> str:
    """A comment's lines as Markdown: tags become sentences, and what is no code cannot be taken for HTML."""
    out: list[str] = []
    for line in lines:
        tag = re.match(r"@(pre|throws|param|return|returns)\b\s*(.*)", line.strip())
        if tag:
            rest = tag.group(2)
            if tag.group(1) == "param":
                name, _, rest = rest.partition(" ")
                out += ["", f"`{name}`: {_plain(rest)}"]
            else:
                said = {"pre": "Precondition:", "throws": "Throws", "return": "Returns", "returns": "Returns"}
                out += ["", f"*{said[tag.group(1)]}* {_plain(rest)}"]
        else:
            # Indented lines go on where they follow a sentence; they never are code in our comments.
            out.append(_plain(line.strip()))
    return "\n".join(out).strip()


def _plain(text: str) -> str:
    pieces = re.split(r"(`[^`]*`)", text)
    kept = [p if p.startswith("`") else re.sub(r"([<\[\]{}*|])", r"\\\1", p) for p in pieces]
    return re.sub(r"^([#+>=-])", r"\\\1", "".join(kept))


def directive(entry: Entry, domain: str = "cpp", indent: int = 0) -> str:
    """The entry, with its members, as MyST."""
    fence = ":" * (3 + _depth(entry))
    body = markdown(entry.doc)
    inside = [directive(member, domain) for member in entry.members]
    parts = [f"{fence}{{{domain}:{entry.kind}}} {entry.signature}", *([body] if body else []), *inside, fence]
    return "\n".join(parts) + "\n"


def _depth(entry: Entry) -> int:
    return 1 + max(map(_depth, entry.members)) if entry.members else 0


def undocumented(header: Header) -> list[str]:
    """Names at namespace level without a comment, as `header:line: name`."""
    return [
        f"{header.name}:{entry.line}: {entry.signature.splitlines()[0]}"
        for _, entries in header.scopes
        for entry in entries
        if not entry.documented
    ]


def page(module: str, about: str, headers: list[Header]) -> str:
    """A module's page."""
    lines = [f"# {module}", "", _plain(about), ""]
    for header in headers:
        lines += [f"## `{header.name}`", "", markdown(header.about), ""]
        domain = "c" if Path(header.name).name.startswith("allport") else "cpp"
        for scope, entries in header.scopes:
            if not entries:
                continue
            if domain == "cpp":
                lines += [f"```{{cpp:namespace}} {scope}", "```", ""]
            lines += [directive(entry, domain) for entry in entries]
    return "\n".join(lines)


def read(include: Path) -> dict[str, list[Header]]:
    """All public headers by module, the module's own first; the C interface is module `c`."""
    modules: dict[str, list[Header]] = {"c": []}
    for path in sorted((include / "allport").glob("*.h")):
        module = "c" if path.name.startswith("allport") else path.stem
        modules.setdefault(module, []).append(parse(path.read_text(), str(path.relative_to(include))))
    for path in sorted((include / "allport").glob("*/*.h")):
        name = str(path.relative_to(include))
        modules.setdefault(path.parent.name, []).append(parse(path.read_text(), name))
    return modules
