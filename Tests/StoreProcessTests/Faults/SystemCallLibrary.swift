#if os(Linux)
import Foundation
import TestSupport

/// The library that disturbs system calls, `system-calls.c`, compiled once for each run of the tests.
enum SystemCallLibrary {
    /// Why there is none.
    struct NotCompiled: Error, CustomStringConvertible {
        let description: String
    }

    /// The compiled library.
    /// - Throws: ``NotCompiled``, or why the compiler could not be started.
    static var url: URL {
        get throws { try compiled.get() }
    }

    private static let compiled = Result { try compile() }

    private static func compile() throws -> URL {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("system-calls.c")
        let library = BuiltProgram.url("system-calls.so")
        // Another run of the tests may have the last one loaded: it is replaced and not overwritten.
        let draft = BuiltProgram.url("system-calls-\(ProcessInfo.processInfo.processIdentifier).so")
        let process = Process()
        process.executableURL = try compiler()
        process.arguments = [
            "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", draft.path, source.path, "-ldl",
        ]
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0,
            rename(draft.path, library.path) == 0
        else { throw NotCompiled(description: "\(source.lastPathComponent) does not compile") }
        return library
    }

    /// The C compiler that comes with Swift, or another one.
    private static func compiler() throws -> URL {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(fileURLWithPath: String($0), isDirectory: true) }
        let besideSwift = folders.map { $0.appendingPathComponent("swift") }
            .filter { FileManager.default.isExecutableFile(atPath: $0.path) }
            .map { $0.resolvingSymlinksInPath().deletingLastPathComponent() }
        for (folder, name) in (besideSwift + folders).map({ ($0, "clang") }) + folders.map({ ($0, "cc") }) {
            let compiler = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: compiler.path) { return compiler }
        }
        throw NotCompiled(description: "there is no C compiler beside swift, nor in PATH")
    }
}
#endif
