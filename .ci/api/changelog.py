"""What the changelog says of versions and their breaks."""

import re

HEADING = re.compile(r"(?m)^## (\d+\.\d+\.\d+) \((?:unreleased|(\d{4}-\d{2}-\d{2}))\)$")


class Section:
    """One version."""

    def __init__(self, version, date, text):
        self.version, self.date = version, date
        self.breaks = names(text)

    def accepts(self, found):
        """Whether a break is named: by itself, with its module, or with all members of its type."""
        spellings = {found.name, f"{found.module}.{found.name}"}
        types = found.name.split(":")[0].split("(")[0].split(".")
        spellings |= {".".join(types[:length]) + ".*" for length in range(1, len(types))}
        return bool(spellings & self.breaks)


def sections(text):
    """The versions, the newest one first."""
    headings = list(HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return [Section(heading[1], heading[2], text[heading.end():end]) for heading, end in zip(headings, ends)]


def names(text):
    """The code in the list below the line `Breaking:`."""
    found = re.search(r"(?ms)^Breaking:\n+(.*?)(?=^\S[^\n]*:\n\n|\Z)", text)
    return set(re.findall(r"`([^`]+)`", found[1])) if found else set()


def parts(version):
    return tuple(int(part) for part in version.split("."))


def may_break(version, release):
    """Whether a version may break code that uses an earlier one (semver.org, rules 4 and 8): before 1.0.0, with the second
    number; from there on with the first."""
    new, old = parts(version), parts(release)
    return new[0] > old[0] or new[0] == old[0] == 0 and new[1] > old[1]
