"""Follows the README and the pages for the three users, block by block. What `.ci/newcomer` runs."""

import os
import pathlib
import re
import shutil
import signal
import sys

import home
import packages
import pages

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CATALOGUE = "Sources/IdentityKit/IdentityKit.docc"

# Commands that other steps of CI run, and so are not run here.
ELSEWHERE = {
    "swift test": "the step \"Build and test\" of .ci/run, with all traits, and .ci/long without",
    ".ci/release && sudo cp -R .build/installed/. /usr/local/": "the step \"Release\" of .ci/run",
}


# What each page begins with. It is done once for all pages, with the build in the common folder.
GET_THE_TOOL = [
    f"git clone {home.URL}",
    "swift build --package-path swift-identity --product identity",
    'export PATH="$PWD/swift-identity/.build/debug:$PATH"',
]


class Newcomer:
    def __init__(self):
        self.home = home.Home(ROOT)
        person = pathlib.Path(__file__).with_name("person.py")
        self.home.program("a-person", f"exec '{sys.executable}' '{person}' \"$1\"")
        # The checkout and all packages that the newcomer makes are built in one place: each would build the same libraries.
        self.built = pathlib.Path(os.environ.get("SWIFTPM_BUILD_DIR", self.home.folder / "build"))
        self.shared = {"SWIFTPM_BUILD_DIR": str(self.built)}

    # The three users

    def readme(self):
        """Gets the package and tries it, then builds what the README shows."""
        page = (ROOT / "README.md").read_text()
        work = self.home.work
        self.home.run(f"git clone -q {home.URL} && cd swift-identity", work)
        checkout = work / "swift-identity"
        printed = []
        for block in pages.blocks(page):
            for line in pages.lines(block.code) if block.language == "sh" else []:
                command = line.removeprefix("swift run ")
                if line in ELSEWHERE:
                    print(f"    {line}: {ELSEWHERE[line]}")
                elif command.startswith(("identity ", "curl ")) and command != "identity demo":
                    self.is_run_by_tests(command)
                else:
                    printed.append(self.home.run(line, checkout, self.shared)[0])
        if not any("✔" in text for text in printed):
            raise home.Failure("The README shows no demo, or it has printed no step.")
        self.install()
        for block in pages.blocks(page):
            if block.language == "json":
                (work / "readme.json").write_text(block.code)
                self.home.run("identity config check readme.json", work)

    def app(self):
        """Makes the program of the page, and signs in with it."""
        text = (ROOT / CATALOGUE / "StartingAnApp.md").read_text()
        readme = [block.code for block in pages.blocks((ROOT / "README.md").read_text())
                  if block.language == "swift" and not is_manifest(block)]
        folder = self.follow(text, pieces=readme)
        if not (folder / "Sources/notes/main.swift").exists():
            raise home.Failure("The page makes no program.")

    def sdk(self):
        self.follow((ROOT / CATALOGUE / "StartingAnSDK.md").read_text())

    def plugin(self):
        self.follow((ROOT / CATALOGUE / "StartingAProvider.md").read_text(), compiles_pieces=False)

    # How a page is followed

    def follow(self, text, pieces=(), compiles_pieces=True):
        """Does with each block what the page says: a line for the manifest, a file, a command, or a piece of code that is
        compiled beside them. Returns the folder in the end."""
        folder, imports, rest = self.home.work, pages.imports(text), list(pieces)
        package = products = None
        for block in pages.blocks(text):
            if block.heading == "Get the tool" and block.code.startswith("git clone "):
                if pages.lines(block.code) != GET_THE_TOOL:
                    raise home.Failure(f"This is another way to get the tool than the one that is tried:\n{block.code}")
                self.install()
            elif block.language == "sh":
                for line in pages.lines(block.code):
                    if compiles_pieces and rest and line.startswith("swift ") and products:
                        self.write_pieces(folder, imports, rest)
                    folder = self.do(line, folder)
            elif block.language == "swift" and block.code.startswith(".package("):
                package = block.code
            elif block.language == "swift" and block.code.startswith(".product("):
                products = block.code.strip().split("\n")
                packages.add_dependency(folder / "Package.swift", package, products)
            elif block.language == "swift" and block.file:
                testing = ["import Testing", f"@testable import {folder.name}"] if block.file.startswith("Tests/") else []
                packages.write(folder, block.file, block.code, imports + testing)
            elif block.language == "swift":
                rest.append(block.code)
            elif block.language == "json":
                (folder / "identity.json").write_text(block.code)
                self.home.run("identity config check --allow-unknown-types identity.json", folder)
        return folder

    def do(self, line, folder):
        """Runs a command of a page. Returns the folder after it."""
        if line.startswith("identity serve "):
            printed, self.server = self.home.serve(line, folder)
            return folder
        output, after = self.home.run(line, folder, self.shared)
        if line.startswith("swift run notes "):
            self.compare(output)
            self.home.end(self.server)
        if line == "swift test" and not re.search(r"Test run with [1-9]\d* tests? .*passed", output):
            raise home.Failure(f"No test was run:\n{output[-2000:]}")
        return after

    def write_pieces(self, folder, imports, rest):
        """Writes pieces of code that the page shows without saying where they go beside its files."""
        target = next(iter(sorted((folder / "Sources").iterdir())))
        modules = sorted({"import Foundation", "import IdentityKit", *imports} - {"import FoundationNetworking"})
        networking = ["#if canImport(FoundationNetworking)", "import FoundationNetworking", "#endif"]
        (target / "Pieces.swift").write_text(packages.pieces(rest, modules + networking))

    def compare(self, output):
        """What the program prints is what the page says."""
        said = [block.code for block in pages.blocks((ROOT / CATALOGUE / "StartingAnApp.md").read_text())
                if block.language == "text"][-1]
        for line in said.strip().split("\n"):
            if line not in output.split("\n"):
                raise home.Failure(f"The page says that it prints\n{line}\nand it has printed\n{output[-3000:]}")

    def install(self):
        """Puts the tool on PATH, as the README's part about the terminal does with a release build."""
        if (self.home.programs / "identity").exists():
            return
        built = self.built / "debug" / "identity"
        if "IDENTITY_TOOL" in os.environ:
            built = pathlib.Path(os.environ["IDENTITY_TOOL"]).resolve()
        elif not (self.home.work / "swift-identity").exists():
            for line in GET_THE_TOOL[:2]:
                self.home.run(line, self.home.work, self.shared)
        # A copy: what is built next may replace it.
        shutil.copy2(built, self.home.programs / "identity")

    def is_run_by_tests(self, line):
        """Commands at a terminal, most of which ask something, are run one by one by the tests of the tool."""
        folder = ROOT / "Tests/IdentityToolTests/Commands"
        text = "".join(file.read_text() for file in folder.glob("*Scenarios.swift"))
        if line not in text:
            raise home.Failure(f"No test of {folder} runs: {line}")


def is_manifest(block):
    return block.code.startswith((".package(", ".product("))


def main():
    parts = ["readme", "plugin", "app", "sdk"]
    wanted = sys.argv[1:] or parts
    if set(wanted) - set(parts):
        sys.exit(f"Name some of {', '.join(parts)}.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("It has taken too long, and is ended."))
    signal.alarm(int(2 * home.PATIENCE))
    newcomer = Newcomer()
    try:
        for part in wanted:
            print(f"-- {part}", flush=True)
            getattr(newcomer, part)()
    except home.Failure as failure:
        sys.exit(f"\n{failure}")
    finally:
        newcomer.home.close()


main()
