"""The rules for the documentation of public symbols."""

import glob
import os
import re


# Kinds that need no comment where their name says it all: values, cases and initializers that only store.
PLAIN = {"swift.property", "swift.type.property", "swift.enum.case", "swift.init"}
# What the standard library asks for, and says itself.
STANDARD = {"hash(into:)", "encode(to:)", "==(_:_:)", "<(_:_:)"}


def defects(library, graphs):
    """One line for each public symbol without a comment that needs one, each that throws without saying what, and each
    top-level symbol that no page leads to."""
    found = []
    required = {each["source"] for each in graphs.relationships if each["kind"].endswith("equirementOf")}
    curated = curated_symbols(library.folder)
    for symbol in graphs.symbols.values():
        if symbol["kind"]["identifier"] == "swift.extension":
            continue
        comment = "\n".join(line["text"] for line in symbol.get("docComment", {"lines": []})["lines"])
        if not comment.strip() and needs_comment(symbol, required):
            found.append(f"{place(symbol)}: {title(symbol)} has no doc comment")
        elif throws(symbol) and not re.search(r"(?i)\bthrows?\b|\bthrown\b", comment):
            found.append(f"{place(symbol)}: {title(symbol)} does not say what it throws")
        if len(symbol["pathComponents"]) == 1 and symbol["pathComponents"][0] not in curated:
            found.append(f"{library.folder}: no page's topics lead to {title(symbol)}")
    return sorted(found)


def needs_comment(symbol, required):
    """Whether a symbol has to be documented: what a protocol asks for, types and functions, and everything else that no list
    above leaves out."""
    if symbol["identifier"]["precise"] in required:
        return True
    return symbol["kind"]["identifier"] not in PLAIN and symbol["pathComponents"][-1] not in STANDARD


def throws(symbol):
    """Whether the symbol is a function of ours that throws. What coding throws is the standard library's to say."""
    if not re.search(r"\.(init|method|func|subscript)$", symbol["kind"]["identifier"]):
        return False
    if symbol["pathComponents"][-1] in ("init(from:)", "encode(to:)"):
        return False
    fragments = symbol.get("declarationFragments", [])
    depth = 0
    for fragment in fragments:
        spelling = fragment["spelling"]
        if fragment["kind"] == "keyword" and spelling in ("throws", "rethrows") and depth == 0:
            return spelling == "throws"
        # A closure's `throws` is not the function's.
        depth += spelling.count("(") - spelling.count(")")
    return False


def curated_symbols(folder):
    """The symbols that the topics of a catalogue's pages lead to."""
    names = set()
    for catalogue in glob.glob(os.path.join(folder, "*.docc")):
        # A symbol with the name of its module is led to by its whole path.
        own = f"/{os.path.basename(catalogue).removesuffix('.docc')}/"
        for path in glob.glob(os.path.join(catalogue, "**", "*.md"), recursive=True):
            with open(path) as file:
                _, _, topics = file.read().partition("\n## Topics\n")
            names.update(name.removeprefix(own) for name in re.findall(r"(?m)^- ``([^`]+)``", topics))
    return names


def title(symbol):
    return ".".join(symbol["pathComponents"])


def place(symbol):
    location = symbol.get("location")
    if not location:
        return symbol["identifier"]["precise"]
    return f"{os.path.basename(location['uri'])}:{location['position']['line'] + 1}"
