#if Tools
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program that is run again and again, with as little around it as the system allows.
struct Program {
    let path: String
    var arguments: [String] = []
    var environment: [String: String] = [:]

    /// Runs it to its end; its output goes nowhere.
    /// - Throws: ``ProgramFailure``
    func run() throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var variables = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process = pid_t()
        guard posix_spawn(&process, path, &actions, nil, &words, &variables) == 0 else {
            throw ProgramFailure(path: path, status: nil)
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        guard status == 0 else { throw ProgramFailure(path: path, status: status) }
    }

    /// Runs it to its end, in no hurry.
    /// - Returns: what it printed.
    /// - Throws: ``ProgramFailure``
    func output() throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ProgramFailure(path: path, status: process.terminationStatus)
        }
        return text
    }
}

/// A program could not be run, or failed.
struct ProgramFailure: Error, CustomStringConvertible {
    let path: String
    let status: Int32?

    var description: String { "\(path) \(status.map { "failed with \($0)" } ?? "could not be started")." }
}
#endif
