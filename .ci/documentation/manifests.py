"""The lines for a Package.swift that the pages show."""

import glob
import os
import re
import subprocess
import tempfile

import toolchain

PLACES = ["README.md", *(os.path.join(folder, "**", "*.docc", "*.md") for folder in ("Sources", "Providers"))]
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Reader",
    dependencies: [{packages}],
    targets: [.executableTarget(name: "Reader", dependencies: [{products}])]
)
"""


def defects():
    """What Swift says against them, each in a manifest of its own; a complaint, too, when there is none at all."""
    found = []
    pages = sorted(path for pattern in PLACES for path in glob.glob(pattern, recursive=True))
    lines = [(path, line) for path in pages for line in shown(path)]
    if not lines:
        found.append("No page shows a line for Package.swift any more: mend this check.")
    for path, line in lines:
        complaint = refusal(manifest(line))
        if complaint:
            found.append(f"{path}: {line}\n{complaint}")
    return found


def shown(path):
    """The blocks of a page that begin like a dependency in a manifest, as `ArticleTests` leaves them to this check."""
    with open(path) as file:
        return re.findall(r"(?ms)^```swift\n(\.(?:package|product)\(.*?)\n```", file.read())


def manifest(line):
    """A manifest with the line in it. A product is one of a package, of which nothing but the name matters here."""
    if line.startswith(".package("):
        return MANIFEST.format(packages=line, products="")
    names = sorted(set(re.findall(r'package: "([^"]*)"', line)))
    packages = [f'.package(url: "https://example.com/{name}.git", from: "1.0.0")' for name in names]
    return MANIFEST.format(packages=", ".join(packages), products=line)


def refusal(manifest):
    with tempfile.TemporaryDirectory(prefix="manifest-") as folder:
        with open(os.path.join(folder, "Package.swift"), "w") as file:
            file.write(manifest)
        done = subprocess.run(
            [toolchain.tool("swift"), "package", "--package-path", folder, "dump-package"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return "" if done.returncode == 0 else done.stderr.strip()
