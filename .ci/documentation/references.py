#!/usr/bin/env python3
"""Checks what comments say about the servers: each names a section of a page in Documentation/Backends.

    .ci/documentation/references.py

A reference is the page and the section's anchor, as GitHub makes it of the heading: `Backends/ThunderID.md#prompts`.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = Path("Documentation", "Backends")
REFERENCE = re.compile(r"\bBackends/(\w+\.md)#?([\w-]*)")
# Ways of citing that lead nowhere, because a reader has no such document.
FOREIGN = re.compile(r"contract(?:,)? (?:section )?[0-9]|wire[ ]contract|\((?:ThunderID|InsForge) [a-z][a-z ]*[,)]", re.I)


def defects():
    pages = {path.name: path.read_text() for path in sorted((ROOT / FOLDER).glob("*.md"))}
    anchors = {name: set(sections(text)) for name, text in pages.items()}
    unseen = [text for text in PLANTED if not complaints(text, anchors)]
    if unseen:
        return [f"{FOLDER}: this mistake is not found any more: {text}" for text in unseen]
    found = []
    for path in tracked("Sources", "Providers", "Tests", "Documentation/Examples"):
        if path.endswith((".swift", ".md", ".py")):
            text = (ROOT / path).read_text()
            found += [f"{path}: {complaint}" for complaint in complaints(text, anchors)]
    for name, text in pages.items():
        dead = sorted(set(re.findall(r"\]\(#([^)]*)\)", text)) - anchors[name])
        found += [f"{FOLDER / name}: there is no section #{anchor}" for anchor in dead]
    return found


PLANTED = [
    "/// A step (Backends/ThunderID.md#no-such-section).", "/// A step (Backends/Nobody.md#prompts).",
    "/// A step (contract %s)." % "1.3", "/// A step (ThunderID flow execution, response).", "/// As the wire %s says." % "contract",
]


def complaints(text, anchors):
    """What is wrong with the references in a file."""
    found = [f"“{cited}” leads nowhere: name a section of {FOLDER}" for cited in FOREIGN.findall(text)]
    for page, anchor in REFERENCE.findall(text):
        if page not in anchors:
            found.append(f"there is no {FOLDER / page}")
        elif anchor and anchor not in anchors[page]:
            found.append(f"{FOLDER / page} has no section #{anchor}")
    return found


def sections(text):
    """The anchors of a page's headings, as GitHub makes them: small letters, spaces as dashes, nothing else but letters."""
    for heading in re.findall(r"(?m)^#+ (.*)$", text):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def tracked(*folders):
    done = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, check=True, capture_output=True, text=True)
    return [path for path in done.stdout.split("\0") if path and (ROOT / path).is_file()]


if __name__ == "__main__":
    sys.exit("\n".join(defects()) or 0)
