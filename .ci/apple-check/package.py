"""What the manifest says about the package: its libraries in the order in which they can be compiled."""

import functools
import glob
import json
import os
import re
import subprocess
import tempfile

import toolchain


class Library:
    """A library target."""

    def __init__(self, description):
        self.name = description["name"]
        self.folder = description.get("path") or os.path.join("Sources", self.name)
        self.needs = [
            dependency["byName"][0] for dependency in description["dependencies"] if "byName" in dependency
        ]
        # The same, and what those need.
        self.reaches = set()
        # Crypto stands for CryptoKit, which Apple's systems bring; other packages are what only programs need.
        self.needs_packages = any(
            dependency["product"][1] != "swift-crypto"
            for dependency in description["dependencies"] if "product" in dependency)
        self.flags = [
            flag for setting in description["settings"] if "enableUpcomingFeature" in setting["kind"]
            for flag in ("-enable-upcoming-feature", setting["kind"]["enableUpcomingFeature"]["_0"])
        ]
        self.embedded = sorted(
            file for resource in description["resources"] if "embedInCode" in resource["rule"]
            for file in files_at(os.path.join(self.folder, resource["path"])))

    @property
    def files(self):
        return swift_files(self.folder) + ([self._embedding()] if self.embedded else [])

    def _embedding(self):
        """A file in the place of the one that SwiftPM makes of the files that are embedded in code. It has their names."""
        names = (re.sub(r"[^A-Za-z0-9]", "_", os.path.basename(file)) for file in self.embedded)
        path = os.path.join(".build", "apple-check", f"{self.name}-embedded.swift")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Checks of several systems run at a time, and none may read half of it.
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path), delete=False) as file:
            file.write("struct PackageResources {\n")
            file.writelines(f"    static let {name}: [UInt8] = []\n" for name in names)
            file.write("}\n")
        os.replace(file.name, path)
        return path


def files_at(path):
    if os.path.isfile(path):
        return [path]
    return [entry.path for entry in os.scandir(path) if entry.is_file()]


def swift_files(folder):
    return sorted(glob.glob(os.path.join(folder, "**", "*.swift"), recursive=True))


@functools.cache
def manifest(scratch):
    said = subprocess.run(
        [toolchain.tool("swift"), "package", "--scratch-path", scratch, "dump-package"],
        capture_output=True, text=True, check=True).stdout
    return json.loads(said)


def minimum(platform, scratch):
    """The oldest system the package runs on."""
    return next(
        entry["version"] for entry in manifest(scratch)["platforms"]
        if entry["platformName"] == platform.lower())


def libraries(scratch):
    """The libraries, each after those it needs. What serves only tests or programs is not for Apple's systems."""
    remaining = {
        target["name"]: Library(target) for target in manifest(scratch)["targets"]
        if target["type"] == "regular" and not (target.get("path") or "").startswith("Tests/")
    }
    # One in C has nothing for these checks. What libraries use of it is declared among the stubs.
    remaining = {
        name: library for name, library in remaining.items() if library.files and not library.needs_packages
    }
    done = []
    while remaining:
        ready = [name for name in remaining if not set(remaining[name].needs) & set(remaining)]
        done += [remaining.pop(name) for name in ready]
    reached = {}
    for library in done:
        library.reaches = set(library.needs).union(*(reached.get(name, ()) for name in library.needs))
        reached[library.name] = library.reaches
    return done
