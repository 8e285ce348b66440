"""The reference of Python, a page a module, from what is imported: every public name with its docstring.

Pages name objects, and Sphinx's autodoc reads them; docstrings are Markdown as far as they are more than sentences, and
`restructured` makes of them what autodoc wants. `undocumented` needs no Sphinx: the tests ask it, too.
"""

from __future__ import annotations

import enum
import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import allport as ap

# Public modules of packages.
REPORT, RUN = "draw gantt pages plot trace".split(), "calibrate job jobs launch links".split()
BENCH = "calls compare jacobi measured places rivals".split()
# Markup of reStructuredText that sentences have by chance: *, |, _ at a word's end, and backslashes.
MARKUP = re.compile(r"([\\*|])|(?<=\w)(_+)(?!\w)")


def modules() -> list[ModuleType]:
    """The public modules, those that hold public names included, by name."""
    names = {*ap._MODULES, *ap._HOMES.values(), *(f"report.{n}" for n in REPORT), *(f"run.{n}" for n in RUN)}
    names |= {f"bench.{n}" for n in BENCH} | {"preload"}
    return [ap, *(importlib.import_module(f"allport.{name}") for name in sorted(names))]


def public(module: ModuleType) -> list[str]:
    """A module's public names that are no modules, in its own order; the package's, if from nowhere else."""
    if module is ap:
        return []
    given = getattr(module, "__all__", None)
    if given is None:
        given = [n for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__]
    return [n for n in given if not n.startswith("_") and not inspect.ismodule(getattr(module, n))]


def home(name: str) -> str:
    """Where a name of `import allport` is documented: allport.machine.Machine."""
    return f"allport.{ap._HOMES[name]}.{name}" if name in ap._HOMES else f"allport.{name}"


def entries() -> Iterator[tuple[ModuleType, str, Any]]:
    """(module, name, object): each object once, with the module that `import allport` takes it from if it does."""
    seen: set[int] = set()
    found = [(module, name, getattr(module, name)) for module in modules() for name in public(module)]
    homes = {home(name) for name in ap._HOMES}
    found.sort(key=lambda entry: f"{entry[0].__name__}.{entry[1]}" not in homes)
    for module, name, value in found:
        if is_described(value):
            if id(value) in seen:
                continue
            seen.add(id(value))
        yield module, name, value


def is_described(value: Any) -> bool:
    """Whether a value is a function or a class, which has a docstring of its own."""
    return inspect.isclass(value) or callable(value)


def undocumented() -> list[str]:
    """Public names without a docstring: modules, functions, classes, and the classes' own methods and properties."""
    missing = [module.__name__ for module in modules() if not module.__doc__]
    for module, name, value in entries():
        where = f"{module.__name__}.{name}"
        if not is_described(value) or getattr(value, "__module__", "typing") in ("typing", "types", "collections.abc"):
            continue
        if not own_doc(value):
            missing.append(where)
        if inspect.isclass(value):
            missing += [f"{where}.{member}" for member, what in members(value) if not own_doc(what)]
    return missing


def members(value: type) -> Iterator[tuple[str, Any]]:
    """A class's own public methods and properties; the values of an enumeration speak for themselves."""
    for name, what in vars(value).items():
        if not name.startswith("_") and (callable(what) or isinstance(what, property)) and not inspect.isclass(what):
            yield name, what


def own_doc(value: Any) -> str:
    """The docstring, without the signature that compiled functions begin with."""
    text = inspect.getdoc(value) or ""
    if type(value).__name__.startswith("nb_") and not inspect.isclass(value):
        text = re.sub(r"\A(\w+\(.*\)( -> .*)?\n*)+", "", text)
    elif isinstance(value, property) and value.fget is not None and type(value.fget).__name__.startswith("nb_"):
        text = re.sub(r"\A\(self\)( -> .*)?\n*", "", text)
    elif inspect.isclass(value) and text.startswith(f"{value.__name__}(") and issubclass(value, tuple):
        text = ""  # what namedtuple makes up
    return text.strip()


def restructured(lines: list[str]) -> list[str]:
    """A docstring's Markdown as reStructuredText: indented lines after a blank one are code, backquotes are code."""
    out: list[str] = []
    code = False
    for i, line in enumerate(lines):
        indented = line.startswith("    ")
        if indented and not code and (i == 0 or not lines[i - 1].strip()):
            out += ["::", ""]
            code = True
        elif line.strip() and not indented and code:
            code = False
        if code or not line.strip():
            out.append(line)
            continue
        pieces = re.split(r"(`+[^`]*`+)", line)
        out.append("".join(p if p.startswith("`") else MARKUP.sub(r"\\\1\2", p) for p in pieces))
    return out


def directive(module: ModuleType, name: str, value: Any) -> list[str]:
    """The lines that have autodoc describe one object."""
    where = f"{module.__name__}.{name}"
    if inspect.isclass(value):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
        inherited = ["   :undoc-members:"] if issubclass(value, enum.Enum) or hasattr(value, "_fields") else []
        static = static_functions(value)
        without = [f"   :exclude-members: {', '.join(static)}"] if static else []
        lines = [f".. {kind}:: {where}", "   :members:", *without, *inherited, ""]
        for member, what in static.items():
            signature = (inspect.getdoc(what) or member).splitlines()[0]
            lines += [f"   .. py:method:: {plain_types(signature)}", "      :staticmethod:", ""]
            lines += [f"      {line}".rstrip() for line in restructured(own_doc(what).splitlines())] + [""]
        return lines
    if callable(value):
        return [f".. autofunction:: {where}", ""]
    shown = repr(value)
    known = (
        shown if len(shown) < 70 else f"{type(value).__name__} of {len(value)}" if hasattr(value, "__len__") else "..."
    )
    return [f".. py:data:: {where}", "", f"   ``{known}``", ""]


def static_functions(value: type) -> dict[str, Any]:
    """A compiled class's static functions, which autodoc takes for data."""
    return {n: f for n, f in vars(value).items() if not n.startswith("_") and type(f).__name__ == "nb_func"}


def plain_types(signature: str) -> str:
    """A signature whose types have the names that a reader knows: those under which they are described, as other
    modules may have the same short ones. The page shows the short ones."""
    signature = re.sub(r"\bcollections\.abc\.", "", signature)
    return re.sub(r"\ballport\._native\.(\w+)", lambda m: described().get(m[1], m[1]), signature)


@functools.cache
def described() -> dict[str, str]:
    """The full names of compiled classes, by their short ones."""
    return {
        name: f"{module.__name__}.{name}"
        for module, name, value in entries()
        if inspect.isclass(value) and getattr(ap._native, name, None) is value
    }


def summary(value: Any) -> str:
    """The first sentence of a docstring."""
    text = " ".join(own_doc(value).split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s(?=[A-Z`])", text)[0]


def pages() -> dict[str, str]:
    """reStructuredText by page name: one for each module, and the table of all names."""
    grouped: dict[str, list[list[str]]] = {module.__name__: [] for module in modules()}
    for module, name, value in entries():
        grouped[module.__name__].append(directive(module, name, value))
    made = {}
    for module in modules():
        title = module.__name__
        lines = [title, "=" * len(title), "", f".. automodule:: {title}", ""]
        made[title] = "\n".join(line for group in (lines, *grouped[title]) for line in group) + "\n"
    made["index"] = index()
    return made


def index() -> str:
    """The table of what `import allport as ap` offers, and the modules' pages."""
    lines = [
        "Python, name by name",
        "====================",
        "",
        "What ``import allport as ap`` offers, name by name.",
        "",
    ]
    lines += [".. list-table::", "   :widths: 30 70", "   :header-rows: 1", "", "   * - name", "     - "]
    for name in sorted(ap.__all__, key=str.lower):
        kind = "mod" if name in ap._MODULES else "obj"
        lines += [f"   * - :py:{kind}:`ap.{name} <{documented(name)}>`"]
        lines += [f"     - {restructured([summary(getattr(ap, name))])[0]}"]
    lines += ["", ".. toctree::", "   :maxdepth: 1", "   :caption: Modules", "   :glob:", "", "   allport*", ""]
    return "\n".join(lines)


def documented(name: str) -> str:
    """The full name under which a name of `import allport` has its entry."""
    value = getattr(ap, name)
    if inspect.ismodule(value):
        return value.__name__
    for module, other, found in entries():
        if found is value:
            return f"{module.__name__}.{other}"
    return home(name)
