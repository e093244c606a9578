"""The sample apps of `Tests/AppleSamples`, and the one of `Documentation/Examples`: which there are, what each consists of, and
what its parts import.

A sample is a folder. Its parts are folders in it, with these names and no others:

    App         the app
    Shared      what the app and its extensions share, a module of its own
    Widget      an extension with widgets
    Share       an extension that other apps share things with; its first class is `ShareViewController`
    UITests     tests of the app from outside
    Resources   files that go into the app and each of its extensions

`sample.json` says what an app has beside its code; `Package.swift` is made by `run` in this folder.
"""

import json
import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDER = os.path.join("Tests", "AppleSamples")
# The example that is an app.
EXAMPLE = os.path.join("Documentation", "Examples", "SignInApp")

# In the order in which they are compiled.
SHARED, APP, WIDGET, SHARE, UI_TESTS = "Shared", "App", "Widget", "Share", "UITests"
PARTS = (SHARED, APP, WIDGET, SHARE, UI_TESTS)
EXTENSIONS = (WIDGET, SHARE)
RESOURCES = "Resources"

KEYS = {"title", "bundleIdentifier", "info", "entitlements", "keychainGroup"}


class SampleError(Exception):
    """A sample is not as it has to be."""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Part:
    """One part of a sample: a module."""

    def __init__(self, sample, kind):
        self.sample, self.kind = sample, kind
        self.folder = os.path.join(sample.folder, kind)
        self.module = sample.name if kind == APP else sample.name + kind
        self.files = sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(os.path.join(sample.root, self.folder)) for name in names
            if name.endswith(".swift"))
        self.files = [os.path.relpath(path, sample.root) for path in self.files]
        self.text = "".join(read(os.path.join(sample.root, path)) for path in self.files)
        self.imports = set(re.findall(r"(?m)^(?:@\w+ )*import (\w+)", self.text))

    @property
    def is_program(self):
        """Whether it starts by itself."""
        return re.search(r"(?m)^@main\b", self.text) is not None

    @property
    def is_extension(self):
        return self.kind in EXTENSIONS

    @property
    def libraries(self):
        """The products of this package that it imports."""
        return [name for name in products(self.sample.root) if name in self.imports]

    @property
    def imports_shared(self):
        return self.sample.name + SHARED in self.imports


class Sample:
    """A sample app."""

    def __init__(self, name, root=ROOT):
        self.name, self.root = name, root
        self.folder = EXAMPLE if name == os.path.basename(EXAMPLE) else os.path.join(FOLDER, name)
        folders = {entry.name for entry in os.scandir(os.path.join(root, self.folder)) if entry.is_dir()}
        unknown = folders - {*PARTS, RESOURCES}
        if unknown:
            raise SampleError(f"{name}: no part of a sample is called {', '.join(sorted(unknown))}.")
        self.parts = [Part(self, kind) for kind in PARTS if kind in folders]
        if APP not in folders:
            raise SampleError(f"{name} has no folder {APP}.")
        path = os.path.join(root, self.folder, "sample.json")
        self.settings = json.loads(read(path)) if os.path.exists(path) else None
        if self.settings is not None and set(self.settings) - KEYS:
            raise SampleError(f"{path}: {', '.join(sorted(set(self.settings) - KEYS))} is not known.")

    def part(self, kind):
        return next((part for part in self.parts if part.kind == kind), None)

    @property
    def resources(self):
        folder = os.path.join(self.root, self.folder, RESOURCES)
        if not os.path.isdir(folder):
            return []
        return sorted(os.path.join(self.folder, RESOURCES, name) for name in os.listdir(folder))


def all_samples(root=ROOT):
    names = [entry.name for entry in os.scandir(os.path.join(root, FOLDER)) if entry.is_dir()]
    if os.path.isdir(os.path.join(root, EXAMPLE)):
        names.append(os.path.basename(EXAMPLE))
    return [Sample(name, root) for name in sorted(names)]


def products(root=ROOT):
    """The library products of this package, in the manifest's order."""
    return re.findall(r'\.library\(name: "(\w+)"', read(os.path.join(root, "Package.swift")))


def platforms(root=ROOT):
    """The systems of the manifest, as it writes them."""
    return re.search(r"(?m)^    platforms: (\[.*\]),$", read(os.path.join(root, "Package.swift"))).group(1)
