"""What a page says to write, written: a package's manifest, its files, and its pieces of code."""

import re
import textwrap


def add_dependency(manifest, package, products):
    """Does in `Package.swift` what a page says: the package's line among the dependencies, the products in the target."""
    text = manifest.read_text()
    if package not in text:
        text = text.replace("\n    targets: [", f"\n    dependencies: [\n        {package.strip()}\n    ],\n    targets: [", 1)
    missing = [product for product in products if product not in text]
    if missing:
        lines = "".join(f"                {product}\n" for product in missing)
        text, count = re.subn(
            r'(\.(?:executableTarget|target)\(\n\s*name: "\w+")\n', r"\1,\n            dependencies: [\n" + lines
            + "            ]\n", text, count=1)
        assert count or not products, "There is no target to add the products to."
    manifest.write_text(text)


def write(folder, name, code, imports):
    """Puts a block into a file, behind what is there of the page already."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    head = "// From the page.\n" + "".join(line + "\n" for line in imports)
    before = file.read_text() if file.exists() and file.read_text().startswith("// From the page.") else head
    file.write_text(before + "\n" + code)


# What a piece of code may use without saying where it comes from: what its page has explained in words.
GIVEN = """
struct Given {
    let request: URLRequest
    let prompter: any FlowPrompter
    let work: any IdentityProvider
    let home: any IdentityProvider
}
"""


def pieces(blocks, imports):
    """A file with pieces of code that are no file by themselves: declarations as they are, statements in functions."""
    declarations, functions = "", ""
    for number, code in enumerate(blocks):
        if re.match(r"(///|enum |struct |extension |public |final |actor |func |@)", code):
            declarations += "\n" + code
            continue
        result = " -> String?" if re.search(r"^return |return nil", code, re.M) else ""
        functions += (
            f"\nextension Given {{\n    @MainActor func piece{number}() async throws{result} {{\n"
            + textwrap.indent(code, " " * 8) + "    }\n}\n")
    return "".join(line + "\n" for line in imports) + GIVEN + declarations + functions
