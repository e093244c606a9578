#!/usr/bin/env python3
"""The table of attacks in the security model: which rule of the RFCs which test tries to break.

    .ci/documentation/attack_table.py             compares the article with the tests
    .ci/documentation/attack_table.py --write     writes the table anew

The rules are in Tests/AttackTable/rules.json. A test says with `.guards("...")` which of them it is the attack on. A rule
without a test is a defect, and so is a test that names no rule, or may not run.
"""

import sys

sys.dont_write_bytecode = True

import difflib
import glob
import json
import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ARTICLE = os.path.join("Sources", "IdentityKit", "IdentityKit.docc", "SecurityModel.md")
COUNTS = os.path.join("Documentation", "Robustness.md")
RULES = os.path.join("Tests", "AttackTable", "rules.json")
BEGIN, END = "<!-- The table of attacks: written by .ci/documentation/attack_table.py -->", "<!-- end -->"

# The sections of the RFCs with requirements. Each belongs to a row, or to another party.
SECTIONS = [
    *(f"RFC 9700 {section}" for section in ("2.1", "2.1.1", "2.1.2", "2.2.1", "2.2.2", "2.3", "2.4", "2.5", "2.6")),
    *(f"RFC 9700 4.{number}" for number in range(1, 18)),
    *(f"RFC 8252 8.{number}" for number in range(1, 13)),
    "RFC 7523 2.2", *(f"RFC 7523 3 ({number})" for number in range(1, 11)),
    *(f"RFC 8725 3.{number}" for number in range(1, 13)),
]


def defects(write=False):
    """The problems of the rules, the tests or the article, which is updated on request."""
    with open(os.path.join(ROOT, RULES)) as file:
        document = json.load(file)
    rules, others = document["rules"], document["notForClients"]
    tests, found = guards()
    found += missing(rules, others, tests)
    if found:
        return found
    difference = []
    for path, rewritten in ((ARTICLE, article(rules, others, tests)), (COUNTS, counted(rules, tests))):
        with open(os.path.join(ROOT, path)) as file:
            text = file.read()
        wanted = rewritten(text)
        if wanted is None:
            return [f"{path}: the place of the table, or of the numbers, is gone"]
        if wanted != text and write:
            with open(os.path.join(ROOT, path), "w") as file:
                file.write(wanted)
        elif wanted != text:
            difference += difflib.unified_diff(
                text.splitlines(), wanted.splitlines(), path, "as the tests are", lineterm="", n=0)
    return ["\n".join([*difference, "Write it anew: .ci/documentation/attack_table.py --write"])] if difference else []


def article(rules, others, tests):
    """Updates the article."""
    def rewritten(text):
        before, begin, rest = text.partition(BEGIN)
        _, end, after = rest.partition(END)
        return f"{before}{BEGIN}\n\n{table(rules, others, tests)}\n{END}{after}" if begin and end else None
    return rewritten


def counted(rules, tests):
    """Updates the numbers."""
    def rewritten(text):
        different = {place(test) for guarding in tests.values() for test in guarding}
        text, count = re.subn(r"\d+ rules, \d+ tests", f"{len(rules)} rules, {len(different)} tests", text)
        return text if count == 1 else None
    return rewritten


def missing(rules, others, tests):
    """Rules without a test, tests without a rule, and sections without either."""
    names = [rule["name"] for rule in rules]
    covered = {section for part in rules + others for section in part["sections"]}
    return [
        *(f"{RULES}: {name} is there twice" for name in sorted({name for name in names if names.count(name) > 1})),
        *(f"{RULES}: no test guards {name}" for name in names if name not in tests),
        *(f"{place(tests[name][0])}: {RULES} has no rule {name}" for name in sorted(set(tests) - set(names))),
        *(f"{RULES}: nothing is said of {section}" for section in SECTIONS if section not in covered),
        *(f"{RULES}: {section} is no section" for section in sorted(covered - set(SECTIONS))),
    ]


def table(rules, others, tests):
    lines = ["| Rule | Attack | Tests |", "|---|---|---|"]
    for rule in rules:
        attacks = "; ".join(f"`{test['suite']}`: {escaped(test['name'])}" for test in tests[rule["name"]])
        lines.append(f"| {references(rule['sections'])}: {rule['rule']} | {rule['attack']} | {attacks} |")
    sentences = [f"{references(part['sections'])}: {part['reason']}." for part in others]
    return "\n".join([*lines, "", "Not in the table:", "", *(f"- {sentence}" for sentence in sentences), ""])


def references(sections):
    """Sections by their RFC: "RFC 9700 2.1, 4.1; RFC 8252 8.9"."""
    numbers = {}
    for section in sections:
        rfc, number = re.match(r"(RFC \d+) (.*)", section).groups()
        numbers.setdefault(rfc, []).append(number)
    return "; ".join(f"{rfc} {', '.join(list)}" for rfc, list in numbers.items())


def escaped(text):
    """A text of a test in a cell of a table."""
    return re.sub(r"([|*_`<\[\]])", r"\\\1", text)


def place(test):
    return f"{test['path']}:{test['line']}"


def guards():
    """The tests by the rules they guard, and their problems."""
    tests, found = {}, []
    for path in sorted(glob.glob(os.path.join(ROOT, "Tests", "**", "*.swift"), recursive=True)):
        with open(path) as file:
            text = file.read()
        if ".guards(" not in text or "func guards(" in text:
            continue
        code = masked(text)
        path = os.path.relpath(path, ROOT)
        for match in re.finditer(r"\.guards\(", code):
            test = {"path": path, "line": text.count("\n", 0, match.start()) + 1}
            rules, complaint = read(test, text, code, match.start())
            if complaint:
                found.append(f"{place(test)}: {complaint}")
            for rule in rules:
                tests.setdefault(rule, []).append(test)
    return tests, found


def read(test, text, code, position):
    """Fills in the suite and the name of the test with a trait at a place, and gives the rules; or what is wrong."""
    start = max(code.rfind("@Test(", 0, position), 0)
    end = closing(code, code.find("(", start))
    if not start or end < position:
        return [], "this is no trait of a test"
    name = re.match(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', text[start:])
    suite = list(re.finditer(r"(?m)^(@Suite.*?\s)?(?:final )?(?:struct|class|actor|enum) (\w+)", code[:start]))
    if not name or not suite:
        return [], "a test in the table has a name and a suite"
    test["name"], test["suite"] = name[1].replace('\\"', '"'), suite[-1][2]
    attributes = code[start:end] + suite_attribute(code, suite[-1])
    if re.search(r"\.(disabled|enabled)\(", attributes):
        return [], "this test may not run"
    if not re.match(r"\s*(?:@\w+\s+)*(?:[a-z]+ )*func ", code[end + 1:]):
        return [], "there is no test below"
    if not runs_everywhere(code[:start]):
        return [], "a condition keeps this test from being compiled"
    literal = text[position:closing(code, code.find("(", position)) + 1]
    return re.findall(r'"((?:[^"\\]|\\.)*)"', literal), None


def suite_attribute(code, declaration):
    """The `@Suite` of a type, which may stand on the lines above it."""
    above = code[:declaration.end()].rsplit("\n\n", 1)[-1]
    return above[above.find("@Suite"):] if "@Suite" in above else ""


def runs_everywhere(code):
    """Whether what comes after is compiled where all of this is checked, on Linux."""
    open_conditions = []
    for line in re.findall(r"(?m)^\s*#(if .*|elseif .*|else|endif)$", code):
        if line.startswith("if "):
            open_conditions.append(line[3:])
        elif line == "endif":
            open_conditions.pop()
        else:
            open_conditions[-1] = line
    return all(condition.strip() in ("Tools", "os(Linux)") for condition in open_conditions)


def closing(code, position):
    """Where the parenthesis that opens at a place is closed."""
    depth = 0
    for index in range(position, len(code)):
        depth += (code[index] == "(") - (code[index] == ")")
        if depth == 0:
            return index
    return len(code)


def masked(text):
    """The text with blanks for what is in comments and literals, so that what is left is code."""
    # Regular expression literals are not recognized. Tests with traits have few, and none with a quote.
    pattern = r'//[^\n]*|/\*.*?\*/|(#*)"""(?:.*?[^\\])??"""\1|(#+)".*?"\2|"(?:[^"\\\n]|\\\([^\n]*?\)(?=[^\n]*")|\\.)*"'
    return re.sub(pattern, lambda match: re.sub(r'[^\n"]', " ", match[0]), text, flags=re.DOTALL)


def main():
    found = defects(write=sys.argv[1:] == ["--write"])
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
