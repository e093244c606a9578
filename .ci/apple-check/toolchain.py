"""The installed Swift toolchain: where its parts lie, and how its compiler is run."""

import functools
import json
import os
import shutil
import subprocess


class CompilerError(Exception):
    """The compiler refused; the text is what it said."""


@functools.cache
def root():
    """The `usr` folder of the toolchain, wherever `swiftc` is linked from."""
    swiftc = shutil.which("swiftc")
    if swiftc is None:
        raise SystemExit("apple-check: there is no swiftc on PATH")
    # swiftly and some packages put a proxy on PATH, which knows where the toolchain is.
    said = subprocess.run([swiftc, "-print-target-info"], capture_output=True, check=True).stdout
    return os.path.dirname(os.path.dirname(json.loads(said)["paths"]["runtimeResourcePath"]))


@functools.cache
def version():
    return subprocess.run([tool("swiftc"), "-version"], capture_output=True, text=True, check=True).stdout


def library(*parts):
    """A path below the toolchain's `lib/swift`."""
    return os.path.join(root(), "lib", "swift", *parts)


def tool(name):
    return os.path.join(root(), "bin", name)


def frontend(*arguments, check=True):
    """Runs the compiler's frontend and returns what it printed, both streams together."""
    done = subprocess.run(
        [tool("swiftc"), "-frontend", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and done.returncode != 0:
        raise CompilerError(done.stdout)
    return done.stdout if check else (done.returncode, done.stdout)


def extract_symbols(module, flags, folder):
    """Writes what a compiled module makes public, as symbol graphs."""
    os.makedirs(folder, exist_ok=True)
    flags = [flag for flag in flags if flag != "-disable-objc-interop"]  # The extractor does not know it.
    done = subprocess.run(
        [
            tool("swift-symbolgraph-extract"), "-module-name", module, *flags, "-sdk", "/", "-output-dir", folder,
            "-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols",
        ], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise CompilerError(done.stdout)
