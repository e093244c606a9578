"""What the libraries make public, as the compiler knows it: symbol graphs of the build for Linux, and of what only Apple's
systems have."""

import glob
import json
import os
import subprocess

import toolchain

BUILD = os.path.join(".build", "debug")


class Graphs:
    """The public symbols of a library by their precise identifiers, and what they are members of."""

    def __init__(self):
        self.symbols = {}
        self.relationships = []

    def add(self, graph):
        for symbol in graph["symbols"]:
            self.symbols.setdefault(symbol["identifier"]["precise"], symbol)
        self.relationships += graph["relationships"]


def extract(module, folder, apple):
    """Writes the symbol graphs of `module` into `folder`: those of the debug build, and of Apple's parts what that lacks."""
    toolchain.extract_symbols(module, ["-target", "x86_64-unknown-linux-gnu", *import_flags()], folder)
    graphs = Graphs()
    for path in sorted(glob.glob(os.path.join(folder, "*.symbols.json"))):
        graphs.add(read(path))
    known = {name(symbol) for symbol in graphs.symbols.values()}
    for path in sorted(glob.glob(os.path.join(apple, "*.symbols.json"))):
        graph = only_new(read(path), known)
        if graph["symbols"]:
            # A file name that does not hide the one for Linux.
            write(graph, os.path.join(folder, "iOS", os.path.basename(path)))
            graphs.add(graph)
    return graphs


def import_flags():
    """Where the modules lie that ours import, those in C included."""
    places = sorted(
        os.path.dirname(path)
        for path in glob.glob(os.path.join(".build", "checkouts", "*", "Sources", "*", "include", "module.modulemap")))
    maps = sorted(glob.glob(os.path.join(BUILD, "*.build", "module.modulemap")))
    flags = ["-I", os.path.join(BUILD, "Modules")]
    for place in places:
        flags += ["-I", place]
    # libpq, where it was found when the package was built with it.
    maps += sorted(glob.glob(os.path.join("Sources", "*", "module.modulemap")))
    found = subprocess.run(["pkg-config", "--cflags-only-I", "libpq"], capture_output=True, text=True, check=False)
    for flag in found.stdout.split():
        flags += ["-Xcc", flag]
    for path in maps:
        flags += ["-Xcc", f"-fmodule-map-file={path}"]
    return flags


def name(symbol):
    """The symbol's place in the documentation. Identifiers will not do: URLRequest is another module's on Linux."""
    return (symbol["kind"]["identifier"], *symbol["pathComponents"])


def only_new(graph, known):
    """The part of `graph` that is not known yet."""
    graph["symbols"] = [symbol for symbol in graph["symbols"] if name(symbol) not in known]
    new = {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
    graph["relationships"] = [each for each in graph["relationships"] if each["source"] in new]
    return graph


def read(path):
    with open(path) as file:
        return json.load(file)


def write(graph, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(graph, file)
