"""Runs DocC."""

import glob
import os
import shutil
import subprocess

import toolchain


def convert(library, symbol_graphs, archives, folder):
    """Makes the archive of a library, and returns DocC's complaints. A warning, such as a link that leads nowhere,
    is an error."""
    catalogues = glob.glob(os.path.join(library.folder, "*.docc"))
    output = os.path.join(folder, f"{library.name}.doccarchive")
    shutil.rmtree(output, ignore_errors=True)
    dependencies = [f"--dependency={archives[name]}" for name in library.reaches if name in archives]
    complaints = run(
        "convert", *catalogues, "--additional-symbol-graph-dir", symbol_graphs, "--output-path", output,
        "--fallback-display-name", library.name, "--fallback-bundle-identifier", f"swift-identity.{library.name}",
        "--warnings-as-errors", "--enable-experimental-external-link-support", *dependencies)
    return output, complaints


def merge(archives, folder):
    """Makes one archive of those of the libraries."""
    output = os.path.join(folder, "swift-identity.doccarchive")
    shutil.rmtree(output, ignore_errors=True)
    complaints = run("merge", *archives, "--output-path", output, "--synthesized-landing-page-name", "swift-identity")
    if complaints:
        raise toolchain.CompilerError("\n".join(complaints))
    return output


def run(*arguments):
    """Runs DocC, and returns its output when it fails."""
    done = subprocess.run(
        [toolchain.tool("docc"), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [] if done.returncode == 0 else [done.stdout.strip() or f"docc ended with status {done.returncode}"]
