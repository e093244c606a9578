#!/usr/bin/env python3
"""Keeps the table in the stubs' README complete: it says for each declaration where it was checked.

    .ci/apple-check/sources.py [--write]

The stubs themselves hold the sources. Without `--write` it fails when the table is not what they say, when a declaration
has no source, or when one says nothing about a system.
"""

import sys

sys.dont_write_bytecode = True

import os

import declarations
import toolchain

START, END = "<!-- From the stubs, by .ci/apple-check/sources.py --write -->", "<!-- The end of the table -->"

NOT_CHECKED = "none"
# Not Apple's: our own modules, and what stands for a bridge to Objective-C.
OURS = "ours"


def check(folder, write=False):
    """Compares the table with the stubs in `folder`, and returns how many declarations there are and how many of them were
    not checked."""
    found = list(declarations.all_declarations(folder))
    complaints = [complaint for declaration in found for complaint in complaints_about(declaration)]
    if complaints:
        raise toolchain.CompilerError("\n".join(complaints))
    path = os.path.join(folder, "README.md")
    text = open(path).read()
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    wanted = f"{before}{START}\n\n{table(found)}\n{END}{after}"
    if write:
        with open(path, "w") as file:
            file.write(wanted)
    elif wanted != text:
        raise toolchain.CompilerError(
            f"The table in {path} is not what the stubs say. Compare the new declaration with Apple's, name the source "
            "beside it, and run .ci/apple-check/sources.py --write.")
    return len(found), sum(declaration.source == NOT_CHECKED for declaration in found)


def complaints_about(declaration):
    name = f"{declaration.stub}: {declaration.name}"
    if declaration.source is None:
        yield f"{name} does not say where it was checked. Write “// Source: none” if it was not."
    silent = [system for system, has in declaration.systems.items() if has is None]
    if silent and declaration.source != OURS:
        yield f"{name} says nothing about {', '.join(silent)}."


def table(found):
    """A row for each stub and source."""
    rows = {}
    for declaration in found:
        rows.setdefault((declaration.stub, declaration.source), []).append(declaration.name)
    order = {stub: index for index, stub in enumerate(dict.fromkeys(stub for stub, _ in rows))}
    lines = ["| Stub | Checked at | Declarations |", "|---|---|---|"]
    for stub, source in sorted(rows, key=lambda row: (order[row[0]], row[1] == NOT_CHECKED)):
        lines.append(f"| `{stub}` | {described(source)} | {listed(rows[stub, source])} |")
    return "\n".join(lines) + "\n"


def described(source):
    if source == NOT_CHECKED:
        return "**not checked**"
    if source == OURS:
        return "not Apple's"
    return "each one's own page" if source == "own page" else source


def listed(names):
    """The names, those of members without their type's where it stands before them."""
    said, owner = [], ""
    for name in dict.fromkeys(names):
        prefix, _, member = name.partition("(")[0].rpartition(".")
        if prefix and prefix == owner:
            said.append(f"`.{name[len(prefix) + 1:]}`")
        else:
            said.append(f"`{name}`")
            owner = prefix or name
    return ", ".join(said)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    try:
        count, unchecked = check(os.path.join("Tests", "AppleStubs"), write="--write" in sys.argv[1:])
    except toolchain.CompilerError as error:
        sys.exit(str(error))
    print(f"{count} declarations, {unchecked} of them not checked against a source")


if __name__ == "__main__":
    main()
