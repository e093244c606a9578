"""The manifest of a sample: every sample has the same, made of its parts and what they import."""

import os

import samples

NAME = "Package.swift"
PACKAGE = "swift-identity"


def path(sample):
    return os.path.join(sample.folder, NAME)


def text(sample):
    """What the sample's `Package.swift` says."""
    parts = [part for part in sample.parts if part.kind != samples.UI_TESTS]  # They need Xcode.
    products = [product(part) for part in parts if part.kind in (samples.APP, samples.SHARED)]
    way = os.path.relpath(".", sample.folder)
    return f"""\
// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "{sample.name}",
    platforms: {samples.platforms(sample.root)},
    products: {listed(products, 4)},
    dependencies: [
        .package(name: "{PACKAGE}", path: "{way}", traits: [])
    ],
    targets: {listed([target(part) for part in parts], 4)}
)
"""


def product(part):
    kind = "executable" if part.is_program else "library"
    return f'.{kind}(name: "{part.module}", targets: ["{part.module}"])'


def target(part):
    kind = "executableTarget" if part.is_program else "target"
    needs = [f'"{part.sample.name}{samples.SHARED}"'] if part.imports_shared else []
    needs += [f'.product(name: "{name}", package: "{PACKAGE}")' for name in part.libraries]
    return f""".{kind}(
            name: "{part.module}",
            dependencies: {listed(needs, 12)},
            path: "{part.kind}"
        )"""


def listed(items, indentation):
    """A list in the form that `swift format` wants: a comma after each of several, none after the only one."""
    if not items:
        return "[]"
    inner = " " * (indentation + 4)
    comma = "," if len(items) > 1 else ""
    return "[\n" + "".join(f"{inner}{item}{comma}\n" for item in items) + " " * indentation + "]"
