"""The blocks of a page in their order, and what the page says about each."""

import dataclasses
import re

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.S | re.M)


@dataclasses.dataclass
class Block:
    language: str
    code: str
    # The last heading above it.
    heading: str
    # The paragraph above it; empty when another block is.
    paragraph: str
    # The file that the paragraph, or that of the block before it, says it belongs into.
    file: str | None = None


def blocks(text):
    """The blocks of a page. A block goes into the file that is named last in the paragraph above it, and so do the blocks
    that follow it without another paragraph."""
    found, end = [], 0
    heading = ""
    for match in FENCE.finditer(text):
        between = text[end:match.start()]
        headings = re.findall(r"^#+ (.*)$", between, re.M)
        heading = headings[-1] if headings else heading
        paragraphs = [part for part in re.split(r"\n\s*\n", between.strip()) if part.strip()]
        paragraph = paragraphs[-1] if paragraphs else ""
        block = Block(match[2], match[3], heading, " ".join(paragraph.split()))
        files = re.findall(r"`((?:[\w.~-]+/)*[\w-]+\.(?:swift|json))`", block.paragraph)
        if files:
            block.file = files[-1]
        elif found and not block.paragraph and found[-1].language == block.language:
            block.file = found[-1].file
        found.append(block)
        end = match.end()
    return found


def imports(text):
    """The modules that the page says its files begin with: `import A`, `import B` in a sentence."""
    return re.findall(r"`(@?\w* ?import \w+)`", FENCE.sub("", text))


def lines(code):
    """The commands of a block for a shell, without remarks, continuation lines joined."""
    joined = code.replace("\\\n", " ")
    return [line for line in (re.sub(r"\s+# .*$", "", line).strip() for line in joined.split("\n")) if line]
