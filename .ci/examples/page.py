"""What the page of an example has to be done, and what is printed then."""

import re

BLOCK = re.compile(r"(?ms)^```(\w+)\n(.*?)^```$")
KEEPS_RUNNING = "# keeps running"


class Step:
    """A block of commands, and what the page says that they print: parts of lines."""

    def __init__(self, commands, printed):
        self.commands, self.printed = commands, printed
        self.keeps_running = KEEPS_RUNNING in commands


def steps(path):
    """The steps of a page."""
    with open(path, encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    found = []
    for index, (language, text) in enumerate(blocks):
        if language != "sh":
            continue
        follower = blocks[index + 1] if index + 1 < len(blocks) else ("", "")
        found.append(Step(text, follower[1].splitlines() if follower[0] == "text" else []))
    return found
