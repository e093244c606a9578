#!/usr/bin/env python3
"""Copies the articles to Documentation/Pages, for readers of the repository: DocC's links are dead text there.

    .ci/documentation/pages.py            says which copies are not current
    .ci/documentation/pages.py --write    writes them anew

A link to a page becomes a link between the copies, one to a symbol becomes code. Code blocks stay as they are.
"""

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COPIES = Path("Documentation", "Pages")
INDEX = """<!-- Made by .ci/documentation/pages.py --write. -->
# Articles

Copies of the articles that DocC builds, with links that work in the repository. Each says where it comes from.
"""


def defects():
    current, wanted = written(), made()
    stale = sorted(str(path) for path in {*current, *wanted} if current.get(path) != wanted.get(path))
    return [f"{path} is not current. Run .ci/documentation/pages.py --write" for path in stale]


def written():
    return {path.relative_to(ROOT): path.read_text() for path in (ROOT / COPIES).rglob("*.md")}


def made():
    """The text of every copy, by its path."""
    articles = sorted(path for folder in ("Sources", "Providers") for path in (ROOT / folder).glob("*/*.docc/*.md"))
    names = {(path.parent.stem, path.stem): title(path.read_text()) for path in articles}
    pages = {COPIES / path.parent.stem / path.name: copy(path.relative_to(ROOT), path.read_text(), names)
             for path in articles}
    index = INDEX
    for module in sorted({module for module, _ in names}):
        index += f"\n## [{module}]({module}/{module}.md)\n\n"
        index += "".join(f"- [{names[each]}]({module}/{each[1]}.md)\n" for each in sorted(names)
                         if each[0] == module and each[1] != module)
    pages[COPIES / "README.md"] = re.sub(r"\n{3,}", "\n\n", index).rstrip("\n") + "\n"
    return pages


def title(text):
    return re.search(r"(?m)^# (.*)$", text)[1].replace("`", "")


def copy(path, text, names):
    """An article with links as the repository needs them."""
    module = path.parent.stem

    def page(match):
        target = match[1].strip("/").split("/")
        owner, name = target if len(target) == 2 else (module, target[0])
        place = f"{name}.md" if owner == module else f"../{owner}/{name}.md"
        return f"[{names[owner, name]}]({place})"

    def picture(match):
        resources = path.parent / "Resources"
        folder = resources if (ROOT / resources / match[1]).exists() else path.parent
        return f"]({os.path.relpath(folder / match[1], COPIES / module)})"

    def symbol(match):
        parts = match[1].strip("/").split("/")
        if (parts[0], parts[0]) in names and len(parts) == 1 and parts != [path.stem]:
            return page(("", f"{parts[0]}/{parts[0]}"))
        parts = parts[1:] if match[1].startswith("/") else parts
        # What tells overloads apart follows a dash.
        return "`" + ".".join(re.sub(r"(?<=[\w)])-[\w(\[].*$", "", part) for part in parts) + "`"

    prose = re.split(r"(?ms)(^ *```.*?^ *```$)", text)
    for number in range(0, len(prose), 2):
        changed = re.sub(r"(?m)^# ``(.*)``$", r"# \1", prose[number])
        changed = re.sub(r"<doc:([^>]+)>", page, changed)
        changed = re.sub(r"\]\(([\w-]+\.(?:png|svg))\)", picture, changed)
        prose[number] = re.sub(r"(?<!`)``([^`\n]+)``(?!`)", symbol, changed)
    return f"<!-- Made by .ci/documentation/pages.py --write from {path}. -->\n" + "".join(prose).lstrip("\n")


def main():
    if sys.argv[1:] == ["--write"]:
        shutil.rmtree(ROOT / COPIES, ignore_errors=True)
        for path, text in made().items():
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text)
    elif sys.argv[1:]:
        sys.exit(__doc__.strip())
    else:
        sys.exit("\n".join(defects()) or 0)


if __name__ == "__main__":
    main()
