"""A stand-in for an Apple SDK, made on Linux from the installed Swift toolchain and nothing else.

The standard library's textual interfaces, which come with every toolchain, carry Apple's availability. Foundation and
Dispatch have no such interface on Linux; the toolchain prints one for them (`swift-synthesize-interface`), which is
then repaired until it compiles: what does not is left out. So a stand-in knows less than an SDK, and what it does not
know is reported as an error. It serves to type-check; nothing can be linked or run with it.
"""

import hashlib
import os
import re
import subprocess
import time

import toolchain

# No Objective-C and therefore x86_64: the interfaces for arm64 lack Float80, which the standard library mentions.
PLATFORMS = {
    "iOS": ("x86_64-apple-ios{}-simulator", "iphonesimulator", "x86_64-apple-ios-simulator"),
    "macOS": ("x86_64-apple-macosx{}", "macosx", "x86_64-apple-macos"),
    "tvOS": ("x86_64-apple-tvos{}-simulator", "appletvsimulator", "x86_64-apple-tvos-simulator"),
    "watchOS": ("x86_64-apple-watchos{}-simulator", "watchsimulator", "x86_64-apple-watchos-simulator"),
    "visionOS": ("x86_64-apple-xros{}-simulator", "xrsimulator", "x86_64-apple-xros-simulator"),
}

# What Foundation has on macOS alone, and the toolchain's has on Linux too: the types, and the members of others.
ONLY_ON_MACOS = r"|class Process\b|extension Process\b"
MEMBERS_ONLY_ON_MACOS = r"\b(homeDirectoryForCurrentUser|homeDirectory\(forUser|userName|fullUserName)\b"

# Implicit imports of modules that are only being made.
NO_IMPLICIT_IMPORTS = [
    "-disable-implicit-concurrency-module-import", "-disable-implicit-string-processing-module-import",
]


def kept(folder, stubs):
    """A folder below `folder` for stand-ins that can be used again: its name is made of all that they are made of. Their
    modules know where they lie, so that is among it."""
    folder = os.path.abspath(folder)
    parts = [folder.encode(), toolchain.version().encode(), open(__file__, "rb").read()]
    for module in ("DarwinTypes", "Darwin"):
        lines = open(os.path.join(stubs, f"{module}.swiftinterface")).read().splitlines()
        # Where something was checked is in comments, and changes nothing.
        parts += [line.encode() for line in lines if line.strip() and not line.strip().startswith("//")]
    return os.path.join(folder, hashlib.sha256(b"\0".join(parts)).hexdigest()[:16])


class StandIn:
    """The modules of one platform, in `folder`."""

    def __init__(self, platform, minimum, folder, stubs):
        target, self.library_name, self.module_triple = PLATFORMS[platform]
        self.platform = platform
        self.target = target.format(minimum)
        self.folder = folder
        self.stubs = stubs
        self.modules = os.path.join(folder, "modules")
        self.resources = os.path.join(folder, "resources")
        self.drafts = os.path.join(folder, "drafts")
        self.flags = [
            "-target", self.target, "-resource-dir", self.resources, "-disable-objc-interop",
            "-module-cache-path", os.path.join(folder, "cache"), "-I", self.modules,
        ]

    def build(self):
        """Makes what is missing."""
        if os.path.exists(os.path.join(self.modules, "Foundation.swiftmodule")):
            return
        for path in (self.modules, self.drafts, os.path.join(self.resources, self.library_name)):
            os.makedirs(path, exist_ok=True)
        for name in ("shims", "clang", "host"):
            link = os.path.join(self.resources, name)
            if not os.path.lexists(link):
                os.symlink(toolchain.library(name), link)
        started = time.monotonic()
        self._standard_library("Swift", ["-parse-stdlib", *NO_IMPLICIT_IMPORTS])
        self._standard_library("_Concurrency", ["-parse-stdlib", *NO_IMPLICIT_IMPORTS])
        self._standard_library("_StringProcessing", NO_IMPLICIT_IMPORTS)
        self._standard_library("SwiftOnoneSupport", NO_IMPLICIT_IMPORTS)
        self._standard_library("Observation", [])
        for module in ("DarwinTypes", "Darwin"):
            text = open(os.path.join(self.stubs, f"{module}.swiftinterface")).read()
            compile_interface(module, text, self.target, self.flags, self.modules, self.drafts)
        self._foundation()
        print(f"   {self.platform}: a stand-in for {self.target}, {time.monotonic() - started:.0f} s", flush=True)

    # The standard library

    def _standard_library(self, module, options):
        source = toolchain.library("linux", f"{module}.swiftmodule", "x86_64-unknown-linux-gnu.private.swiftinterface")
        text = open(source).read()
        text = text.replace("-target x86_64-unknown-linux-gnu", f"-target {self.target}")
        # Back-deployed bodies and the C library are not needed to know a declaration.
        text = re.sub(r"(?m)^\s*@backDeployed.*$", "", text)
        text = re.sub(r"(?m)^import (Glibc|SwiftGlibc)$", "", text)
        folder = os.path.join(self.resources, self.library_name, f"{module}.swiftmodule")
        os.makedirs(folder, exist_ok=True)
        self._compile(module, text, os.path.join(folder, f"{self.module_triple}.swiftmodule"), options)

    # Foundation and what it is made of

    def _foundation(self):
        self._synthesized(
            "FoundationEssentials", without=r"Predicate|Template|Span|struct Expression|extension Expression",
            preamble="""
                public enum POSIXErrorCode : Swift.Int32, Swift.Sendable {
                    case EPERM = 1, ENOENT = 2, EINTR = 4, EIO = 5, EACCES = 13, EEXIST = 17
                }
                """)
        self._synthesized(
            "Dispatch", without=r"DispatchIO|DispatchData|DispatchTest", reexporting=["Darwin"],
            preamble="public typealias dispatch_time_t = Swift.UInt64\npublic typealias dispatch_fd_t = Swift.Int32")
        self._synthesized(
            "FoundationInternationalization", reexporting=["FoundationEssentials"],
            without=r"Predicate|Span|FormatStyle|ParseStrategy|ParseableFormat|RegexComponent|CustomConsuming"
            r"|Descriptive")
        # On Apple's systems URLSession is part of Foundation.
        network = repaired("FoundationNetworking", without="Predicate").replace("FoundationNetworking.", "Foundation.")
        self._synthesized(
            "Foundation", without=r"Predicate|Span", more=network + LEFT_OUT,
            reexporting=["Dispatch", "FoundationEssentials", "FoundationInternationalization", "Darwin"])

    def _synthesized(self, module, without, reexporting=(), preamble="", more=""):
        imports = "".join(f"@_exported import {name}\n" for name in reexporting)
        declarations = repaired(module, without if self.platform == "macOS" else without + ONLY_ON_MACOS)
        if self.platform != "macOS":
            lines = declarations.split("\n")
            declarations = "\n".join(line for line in lines if not re.search(MEMBERS_ONLY_ON_MACOS, line))
        text = heading(module, self.target) + imports + preamble + "\n" + declarations + "\n" + more
        self._compile(module, text, os.path.join(self.modules, f"{module}.swiftmodule"), [])

    # Compiling an interface

    def _compile(self, module, text, output, options, rounds=30):
        """Compiles `text`, leaving out the declarations the compiler refuses."""
        if os.path.exists(output):
            return
        text = with_vision_os(text, self.target)
        draft = os.path.join(self.drafts, f"{module}.swiftinterface")
        for _ in range(rounds):
            with open(draft, "w") as file:
                file.write(text)
            status, said = toolchain.frontend(
                "-compile-module-from-interface", draft, "-o", output, "-module-name", module,
                "-disable-availability-checking", *self.flags, *options, check=False)
            if status == 0:
                return
            # The first line is where the compiler sums up.
            refused = {int(line) for line in re.findall(re.escape(draft) + r":(\d+):\d+: error:", said)} - {1}
            if not refused:
                break
            text = without_declarations(text, refused)
        raise toolchain.CompilerError(f"{module} cannot be made for {self.target}:\n{said[-3000:]}")


def with_vision_os(text, target):
    """Availability for visionOS, where an interface of the toolchain names iOS alone: a real SDK brings a table by which the
    compiler knows it. The stubs name visionOS themselves."""
    if "-xros" not in target:
        return text

    def named(attribute):
        version = re.search(r"\biOS (\d+)(?:\.(\d+))?", attribute.group())
        if "visionOS" in attribute.group() or not version:
            return attribute.group()
        major, minor = int(version.group(1)), int(version.group(2) or 0)
        if major < 17 or (major == 17 and minor < 4):
            vision = "1.0"
        elif major < 26:
            vision = "1.1" if major == 17 else f"{major - 16}.{minor}"
        else:
            vision = f"{major}.{minor}"
        return attribute.group().replace(version.group(), f"{version.group()}, visionOS {vision}", 1)

    return re.sub(r"@available\([^)]*\*\)", named, text)


def heading(module, target):
    """What the compiler wants an interface to begin with."""
    return f"""\
// swift-interface-format-version: 1.0
// swift-compiler-version: Swift version 6
// swift-module-flags: -target {target} -enable-library-evolution -swift-version 5 -module-name {module}
import Swift
import _Concurrency
import _StringProcessing
"""


def compile_interface(module, declarations, target, flags, modules, drafts):
    """Makes `module` of `declarations`. Nothing is left out: a stub with a mistake ends the check."""
    draft = os.path.join(drafts, f"{module}.swiftinterface")
    with open(draft, "w") as file:
        file.write(heading(module, target) + declarations)
    toolchain.frontend(
        "-compile-module-from-interface", draft, "-module-name", module, *flags, "-I", modules,
        "-o", os.path.join(modules, f"{module}.swiftmodule"))


def synthesized(module):
    """The declarations of a Linux module, one block each."""
    said = subprocess.run(
        [
            toolchain.tool("swift-synthesize-interface"), "-module-name", module,
            "-target", "x86_64-unknown-linux-gnu", "-sdk", "/", "-resource-dir", toolchain.library(),
            "-I", toolchain.library("linux"), "-o", "-",
        ], capture_output=True, text=True, check=True).stdout
    block, depth = [], 0
    for line in said.splitlines():
        if line.startswith("import ") or line.strip().startswith("//"):
            continue
        if not line.strip() and depth == 0:
            if block:
                yield block
            block = []
            continue
        block.append(line)
        code = re.sub(r'"(\\.|[^"])*"', '""', line)
        depth += code.count("{") - code.count("}")
    if block:
        yield block


def repaired(module, without):
    """The printed interface of a Linux module, turned into one that can be compiled: the printer leaves out accessors
    and prints modifiers an interface may not have."""
    blocks = []
    for block in synthesized(module):
        head = next((line for line in block if not line.startswith("@")), "")
        if re.search(without, head) or any("public macro " in line for line in block):
            continue
        lines = [repaired_line(line, module, in_extension=head.startswith("extension")) for line in block]
        text = "\n".join(line for line in lines if line is not None)
        # An attribute whose declaration was left out.
        blocks.append(re.sub(r"\n\s*@available\([^\n]*\)\s*(?=\n\})", "", text))
    return "\n\n".join(blocks).replace("Glibc.", "Darwin.")


def repaired_line(line, module, in_extension):
    if re.search(r": Predicate<|_read|RawSpan|MutableSpan|OutputSpan|: Span<|-> Span<|URL\.Template", line):
        return None
    line = re.sub(r"\b(internal|private|fileprivate)\(set\) ", "", line).replace("@inlinable ", "")
    if module == "Dispatch":
        line = line.replace("override public init()", "public init()")
    if re.search(r"\bsubscript\b", line) and not line.rstrip().endswith(("}", "{")):
        line = line.rstrip() + " { get set }"
    if in_extension and re.search(r"^\s+.*\bpublic (static )?var [^{]*$", line):
        line = line.rstrip() + " { get set }"
    return re.sub(r"(public (static )?let [^{]*?) \{ get( set)? \}", r"\1", line)


def without_declarations(text, numbers):
    """`text` without the declarations that lie on the lines with these numbers, counted from one."""
    lines = text.split("\n")
    dropped = set()
    for number in numbers:
        first = number - 1
        while first >= 0 and lines[first].strip() in ("", "}"):
            first -= 1
        last, depth = first, 0
        while last < len(lines):
            depth += lines[last].count("{") - lines[last].count("}")
            dropped.add(last)
            if depth <= 0:
                break
            last += 1
        attribute = first - 1
        while attribute >= 0 and re.match(r"^\s*@\w+(\(.*\))?\s*$", lines[attribute]):
            dropped.add(attribute)
            attribute -= 1
    return "\n".join(line for index, line in enumerate(lines) if index not in dropped)


# What the printer leaves out: conversions between Swift's types and Foundation's, and what error codes offer.
LEFT_OUT = """
extension Swift.String : Swift._ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Swift.String?)
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout Swift.String?) -> Swift.Bool
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Swift.String
}
public func _convertErrorToNSError(_ error: any Swift.Error) -> NSError
public func _convertNSErrorToError(_ error: NSError?) -> any Swift.Error
extension URLError.Code { public var rawValue: Swift.Int { get } }
""" + "".join(
    f"""
extension {name} : Swift.Error {{}}
extension {name} {{
    public init(_ code: {name}.Code, userInfo: [String : Any] = [:])
    public var code: {name}.Code {{ get }}
    public var userInfo: [String : Any] {{ get }}
}}
""" for name in ("URLError", "CocoaError"))
