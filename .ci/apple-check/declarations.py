"""What the stubs declare: the name of each declaration, the systems that have it, and where it was checked.

It reads the stubs as the text they are, and only as much of Swift as they use.
"""

import os
import re

import coverage
import toolchain

SYSTEMS = ("iOS", "macOS", "tvOS", "watchOS", "visionOS")

# Stubs of frameworks that not every system has.
ONLY_ON = {
    "UIKit": ("iOS", "tvOS", "visionOS"), "AppKit": ("macOS",),
    "LocalAuthentication": ("iOS", "macOS", "watchOS", "visionOS"),
    "WidgetKit": ("iOS", "macOS", "watchOS", "visionOS"),
    "BackgroundTasks": ("iOS", "tvOS", "visionOS"),
}

UNAVAILABLE, ABSENT, ALWAYS = "unavailable", "absent", "always"

SOURCE = re.compile(r"// Source: (.+)")
# Says it for the whole stub: headers in C often name no versions.
ON_EVERY_SYSTEM = re.compile(r"// On every system\b")
DIRECTIVE = re.compile(r"#(if|elseif|else|endif)\b(.*)")
ATTRIBUTE = re.compile(r"@\w+(?:\([^()]*\))?\s*")
MODIFIER = re.compile(
    r"(?:public|open|final|static|weak|mutating|nonisolated|override|convenience|required|dynamic"
    r"|class(?=\s+(?:var|func)\b))\s+")
DECLARATION = re.compile(
    r"(typealias|associatedtype|struct|class|enum|protocol|extension|func|init|var|let|case|subscript)\b\s*(.*)")


class Declaration:
    """One declaration. `systems` says for each system since when it has it, or why not; `None` where nothing says so."""

    def __init__(self, stub, name, systems, source):
        self.stub, self.name, self.systems, self.source = stub, name, systems, source


def all_declarations(folder):
    """The declarations of every stub in `folder`, file by file."""
    for file in sorted(os.listdir(folder)):
        stub, extension = os.path.splitext(file)
        if extension == ".swiftinterface":
            yield from declarations(stub, open(os.path.join(folder, file)).read())


def declarations(stub, text):
    """The declarations of one stub, given its text."""
    systems = {system: None if system in ONLY_ON.get(stub, SYSTEMS) else ABSENT for system in SYSTEMS}
    source, attributes, types, conditions = None, [], [("", systems)], []
    for line in statements(text):
        if line.startswith("//"):
            if SOURCE.match(line):
                source = SOURCE.match(line).group(1)
            else:
                systems.update({system: ALWAYS for system, has in systems.items() if has is None})
        elif line.startswith("#"):
            enter(conditions, *DIRECTIVE.match(line).groups())
        elif line.startswith("@available"):
            attributes.append(line)
        elif line == "}":
            types.pop()
        else:
            line = bare(line)
            found = DECLARATION.match(line)
            if not found:
                raise toolchain.CompilerError(f"{stub}: this declaration of the stub is not understood:\n{line}")
            keyword, rest = found.groups()
            prefix, inherited = types[-1]
            has = availability(inherited, attributes, conditions)
            attributes = []
            called = names(keyword, rest)
            if keyword != "extension" or ":" in rest.split(" where ")[0]:
                yield from (Declaration(stub, prefix + name, has, source) for name in called)
            if line.endswith("{"):
                types.append((prefix + called[0].split(":")[0] + ".", has))


def statements(text):
    """The lines that matter, with those that belong together joined."""
    lines = [line.strip() for line in text.splitlines()]
    joined = ""
    for line, following in zip(lines, [*lines[1:], ""]):
        if not joined and (SOURCE.match(line) or ON_EVERY_SYSTEM.match(line) or DIRECTIVE.match(line)):
            yield line
        if not line or line.startswith(("//", "#", "import ", "@_exported ")):
            continue
        joined = f"{joined} {line}".strip()
        is_open = joined.count("(") > joined.count(")") or line.endswith((",", "="))
        is_attribute = not ATTRIBUTE.sub("", joined) and not joined.startswith("@available")
        if is_open or is_attribute or following.startswith(("where ", "{")):
            continue
        yield joined
        joined = ""


def bare(line):
    """A declaration without attributes, modifiers and what its braces hold, unless they hold declarations."""
    line = re.sub(r"\s*\{[^{}]*\}$", "", line)
    while True:
        start = ATTRIBUTE.match(line) or MODIFIER.match(line)
        if not start:
            return line
        line = line[start.end():]


def names(keyword, rest):
    """What a declaration declares."""
    if keyword == "case":
        return [name.strip().strip("`") for name in rest.split(",")]
    if keyword == "extension":
        extended, _, conformance = rest.split(" where ")[0].rstrip(" {").partition(":")
        return [f"{extended.strip()}: {conformance.strip()}" if conformance else extended.strip()]
    if keyword in ("func", "init", "subscript"):
        name = "" if keyword != "func" else re.match(r"==|`?\w+`?", rest).group().strip("`")
        return [(name or keyword) + f"({labels(rest)})"]
    return [re.match(r"`?(\w+)`?", rest).group(1)]


def labels(rest):
    """The labels of a function's parameters."""
    top_level, depth = "", 0
    for character in rest[rest.index("("):].replace("->", ""):
        depth += {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": -1}.get(character, 0)
        if depth == 0:
            break
        top_level += character if depth == 1 else ""
    parameters = [ATTRIBUTE.sub("", part.strip()) for part in top_level[1:].split(",") if part.strip()]
    return "".join(re.match(r"\w+", parameter).group() + ":" for parameter in parameters)


def availability(inherited, attributes, conditions):
    """What the systems have of a declaration."""
    systems = dict(inherited)
    for attribute in attributes:
        said = re.sub(r'message: "[^"]*"', "", attribute[len("@available("):-1])
        first, *more = [part.strip() for part in said.split(",")]
        if more and more[0] == "unavailable":
            systems.update({system: UNAVAILABLE for system in SYSTEMS if first in (system, "*")})
        elif more and more[0].startswith("introduced:"):
            systems[first] = more[0].split(":")[1].strip()
        else:
            for part in [first, *more]:
                system, _, version = part.partition(" ")
                if system in SYSTEMS:
                    systems[system] = version
    for condition, excluded in conditions:
        for system in SYSTEMS:
            truth = {f"os({other})": other == system for other in (*SYSTEMS, "Linux")}
            if condition and not coverage.holds(condition, truth) or any(
                coverage.holds(other, truth) for other in excluded
            ):
                systems[system] = ABSENT
    return systems


def enter(conditions, word, condition):
    """Notes a condition: what must hold, and what must not."""
    if "canImport" in condition:  # Of Linux's modules only.
        condition = "os(Linux)"
    if word == "if":
        conditions.append((condition, []))
    elif word == "endif":
        conditions.pop()
    else:
        earlier, excluded = conditions.pop()
        conditions.append((condition if word == "elseif" else None, [*excluded, *([earlier] if earlier else [])]))
