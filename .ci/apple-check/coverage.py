"""Finds conditional code that no check compiles.

What `os(iOS)` or `canImport(Security)` means is asked of the compiler, with the very flags of the checks. How such words are
combined to conditions, and conditions to branches, is worked out here.
"""

import os
import re

import toolchain

ATOM = re.compile(r"\w+\s*\([^()]*\)|[A-Za-z_]\w*")
PLATFORM = re.compile(r"\b(canImport|os|targetEnvironment|arch)\s*\(")
DIRECTIVE = re.compile(r"^\s*#(if|elseif|else|endif)\b([^/]*)")

# Branches that nothing here can compile, and why.
EXEMPT = {
    "canImport(CIdentityCurl)": "Linux with the package's own target in C, which every build there compiles",
    "canImport(Musl)": "Swift's static Linux SDK, which a plain toolchain does not have; Glibc's branch says the same",
}


class Branch:
    """A branch of a block: what must hold for it, and what must not."""

    def __init__(self, path, line, condition, excluded, parent):
        self.path, self.line, self.parent = path, line, parent
        self.condition, self.excluded = condition, excluded
        self.is_about_platforms = False

    def __str__(self):
        return f"{self.path}:{self.line}: {self.condition or 'else of ' + self.excluded[0]}"

    def is_entered(self, truth):
        return (
            (self.parent is None or self.parent.is_entered(truth))
            and (self.condition is None or holds(self.condition, truth))
            and not any(holds(other, truth) for other in self.excluded))

    @property
    def conditions(self):
        return [*([self.condition] if self.condition else []), *self.excluded]


def branches(path):
    """Every branch of every block in a file."""
    found, open_blocks = [], []
    for number, line in enumerate(open(path), 1):
        directive = DIRECTIVE.match(line)
        if not directive:
            continue
        word, condition = directive.group(1), directive.group(2).strip()
        if word in ("elseif", "else", "endif"):
            block = open_blocks.pop()
        if word == "endif":
            is_about_platforms = any(PLATFORM.search(text) for branch in block for text in branch.conditions)
            for branch in block:
                branch.is_about_platforms = is_about_platforms
            continue
        if word == "if":
            block = []
        parent = open_blocks[-1][-1] if open_blocks else None
        branch = Branch(
            path, number, condition if word != "else" else None,
            [earlier.condition for earlier in block], parent)
        open_blocks.append([*block, branch])
        found.append(branch)
    return found


def holds(condition, truth):
    """Whether a condition holds, given the truth of its atoms."""
    words = ATOM.sub(lambda atom: f" {truth[normalized(atom.group())]} ", condition)
    words = words.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    if not re.fullmatch(r"(\s|True|False|and|or|not|\(|\))*", words):
        raise toolchain.CompilerError(f"The condition \"{condition}\" is not understood.")
    return eval(words)  # Only the words above.


def normalized(atom):
    return re.sub(r"\s+", "", atom)


def truth(atoms, flags, folder):
    """Which atoms hold for the compiler."""
    atoms = sorted(atoms)
    path = os.path.join(folder, "Atoms.swift")
    with open(path, "w") as file:
        for index, atom in enumerate(atoms):
            file.write(f"#if {atom}\nlet atom{index}: Wanted{index} = 0\n#endif\n")
    _, said = toolchain.frontend("-typecheck", "-parse-as-library", *flags, path, check=False)
    return {atom: f"'Wanted{index}'" in said for index, atom in enumerate(atoms)}


class Census:
    """The branches of the whole tree, and which of them were entered."""

    def __init__(self, files, folder):
        self.folder = folder
        self.branches = [branch for path in files for branch in branches(path)]
        self.atoms = {
            normalized(atom) for branch in self.branches for text in branch.conditions for atom in ATOM.findall(text)
        }
        self.entered = set()

    def note(self, files, flags):
        """Notes what the compiler enters in `files` with `flags`."""
        known = truth(self.atoms, flags, self.folder)
        self.entered |= {
            branch for branch in self.branches if branch.path in files and branch.is_entered(known)
        }

    @property
    def about_platforms(self):
        return [branch for branch in self.branches if branch.is_about_platforms]

    @property
    def missing(self):
        return [
            branch for branch in self.about_platforms
            if branch not in self.entered and branch.condition not in EXEMPT
        ]
