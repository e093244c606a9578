"""The checks of one platform: stubs, the libraries, the samples."""

import os
import re
import sys

import declarations
import standin
import toolchain
from package import swift_files
from planted import IN_EXTENSION

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "samples"))

import samples

# The libraries see what they share within this package. The samples are other packages.
PACKAGE = "swift_identity"

LINUX_TARGET = "x86_64-unknown-linux-gnu"
STUBS = os.path.join("Tests", "AppleStubs")
SAMPLES = (samples.FOLDER, samples.EXAMPLE)
EXAMPLES = os.path.join("Documentation", "Examples")
# Their libraries, which apps link.
EXAMPLE_LIBRARIES = {
    "MailSDK": os.path.join(EXAMPLES, "FallbackSDK", "Sources", "MailSDK"),
    "Tidewater": os.path.join(EXAMPLES, "OAuthPlugin", "Sources", "Tidewater"),
}

# Made with the stand-ins.
NOT_AMONG_STUBS = ("Darwin", "DarwinTypes")

# Parts of executables that call Darwin. The rest of the tool needs packages that the stand-ins do not have.
TOOL_PARTS = {
    "ToolParts": [os.path.join("Sources", "IdentityTool", "Terminal", "StandardStreams.swift")],
    "Launcher": [
        os.path.join("Sources", "identity-launcher", name + ".swift")
        for name in (
            "Message", "RefreshTurn", "StoredSession", "StoredToken", "TokenCommandLine", "TokenStoreFolder", "Tool",
        )
    ],
    "Benchmarks": [
        os.path.join("Sources", "identity-benchmarks", "Harness", name + ".swift") for name in ("Cost", "Program")
    ],
    "StoreProbe": [
        os.path.join("Tests", "StoreProbe", name + ".swift")
        for name in ("Probe", "ListenerStorm", "PageSignIn", "TerminalSignIn")
    ],
    "ToolTests": [
        os.path.normpath(os.path.join("Tests", "IdentityToolTests", *path)) for path in (
            ("Support", "PseudoTerminal.swift"), ("Support", "ShownText.swift"), ("Launcher", "HeldLocks.swift"),
            ("..", "TestSupport", "FreePort.swift"),
        )
    ],
}


class Configuration:
    """One platform: its target, its stubs, and what was checked on it."""

    def __init__(self, name, target, flags, folder):
        self.name, self.target = name, target
        self.modules = os.path.join(folder, "modules")
        self.drafts = os.path.join(folder, "drafts")
        # The stand-in's flags name the target already.
        self.flags = [*(flags or ["-target", target]), "-I", self.modules]
        # What the checks compiled: files and the conditions they were compiled with.
        self.checked = []
        os.makedirs(self.modules)
        os.makedirs(self.drafts)

    def make_stubs(self):
        remaining = {}
        for file in sorted(os.listdir(STUBS)):
            module, extension = os.path.splitext(file)
            # Linux plays the part of iOS.
            played = "iOS" if self.name == "Linux" else self.name
            if (
                extension == ".swiftinterface" and module not in NOT_AMONG_STUBS
                and played in declarations.ONLY_ON.get(module, (played,))
            ):
                text = open(os.path.join(STUBS, file)).read()
                remaining[module] = (text, set(re.findall(r"(?m)^(?:@\w+ )*import (\w+)", text)))
        while remaining:
            ready = [module for module, (_, needs) in remaining.items() if not needs & set(remaining)]
            for module in ready:
                standin.compile_interface(
                    module, remaining.pop(module)[0], self.target, self.flags, self.modules, self.drafts)

    def check(self, libraries):
        count = 0
        for library in libraries:
            self.compile(library.name, library.files, [*library.flags, *IN_EXTENSION])
            count += len(library.files)
        if self.name == "macOS":
            for part, files in TOOL_PARTS.items():
                self.type_check(part, files, ["-D", "Tools"])
        # Linux plays the part of iOS for the stubs alone: what a sample is there, `os(iOS)` says.
        apps = samples.all_samples() if self.name != "Linux" else []
        for part in (part for app in apps for part in app.parts):
            in_extension = part.is_extension or part.kind == samples.SHARED
            self.compile(part.module, part.files, IN_EXTENSION if in_extension else [], package=part.sample.name)
        if apps:
            for module, folder in EXAMPLE_LIBRARIES.items():
                self.compile(module, swift_files(folder), IN_EXTENSION, package=module)
        print(f"   {self.name}: {len(libraries)} libraries of {count} files, {len(apps)} samples", flush=True)

    def compile(self, module, files, flags, package=PACKAGE):
        """Compiles to Swift's intermediate language: the checks of isolation and of initialization run only there."""
        output = os.path.join(self.modules, module)
        self._run(
            module, files, flags, package, "-emit-sil", "-o", os.devnull, "-emit-module-path", f"{output}.swiftmodule",
            # Comments and places, for the documentation.
            "-emit-module-doc-path", f"{output}.swiftdoc", "-emit-module-source-info-path",
            f"{output}.swiftsourceinfo")

    def extract_symbols(self, libraries, folder):
        """Writes the symbol graphs of what was checked, for the documentation."""
        for library in libraries:
            toolchain.extract_symbols(library.name, self.flags, os.path.join(folder, library.name))

    def type_check(self, module, files, flags):
        """Looks at types only: a stand-in's C functions have no bodies, which the later stages may want."""
        self._run(module, files, flags, PACKAGE, "-typecheck")

    def _run(self, module, files, flags, package, *mode):
        flags = ["-D", "DEBUG", *flags]
        toolchain.frontend(
            *mode, "-module-name", module, "-package-name", package, "-parse-as-library",
            "-swift-version", "6", "-warnings-as-errors", *self.flags, *flags, *files)
        self.checked.append((files, flags))
