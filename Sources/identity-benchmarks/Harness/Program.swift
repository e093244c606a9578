import Foundation

/// A program to start repeatedly, with `posix_spawn` for little overhead.
struct Program {
    let path: String
    var arguments: [String] = []
    var environment: [String: String] = [:]

    /// Runs the program and waits until it ends.
    /// - Parameter file: the file for the standard output. Standard error is discarded.
    /// - Throws: ``ProgramError`` if the program cannot be started, or ends with another status than 0.
    func run(writingTo file: String = "/dev/null") throws {
        try wait(for: start(writingTo: file))
    }

    /// Runs the program `count` times concurrently, and waits until all runs have ended.
    /// - Throws: ``ProgramError`` if a run cannot be started, or ends with another status than 0.
    func run(atOnce count: Int) throws {
        let processes = try (0..<count).map { _ in try start(writingTo: "/dev/null") }
        var failure: (any Error)?
        for process in processes {
            do { try wait(for: process) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Runs the program, and reads the numbers in its output.
    /// - Returns: the words of the output that are numbers, in their order.
    /// - Throws: ``ProgramError`` if the program fails, or prints no line within five seconds after its end.
    func numbers() throws -> [Double] {
        try output(until: "\n").split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    }

    private func start(writingTo file: String) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var variables = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process = pid_t()
        guard posix_spawn(&process, path, &actions, nil, &words, &variables) == 0 else {
            throw ProgramError(path: path, status: nil)
        }
        return process
    }

    private func wait(for process: pid_t) throws {
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        guard status == 0 else { throw ProgramError(path: path, status: status) }
    }

    /// Runs the program under strace.
    /// - Parameter folder: the folder for strace's temporary output.
    /// - Returns: the number of system calls of the program and its child processes; `nil` if strace is not installed
    ///   or the run fails.
    func systemCalls(in folder: URL) -> Int? {
        guard let strace = Self.installed("strace") else { return nil }
        let file = folder.appendingPathComponent("strace-\(UUID().uuidString)")
        let traced = Program(
            path: strace, arguments: ["-c", "-f", "-o", file.path, path] + arguments, environment: environment)
        guard (try? traced.run()) != nil, let text = try? String(contentsOf: file, encoding: .utf8),
            let total = text.split(whereSeparator: \.isNewline).last(where: { $0.hasSuffix("total") })
        else { return nil }
        // The columns of strace's summary are the share of time, the seconds, the microseconds per call, the number of
        // calls and, if there are any, the number of errors.
        let numbers = total.split(separator: " ")
        return numbers.count > 3 ? Int(numbers[3]) : nil
    }

    static var ownPath: String {
        let link = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        return FileManager.default.fileExists(atPath: link) ? link : CommandLine.arguments[0]
    }

    static func installed(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }

    /// Runs the program until it ends, and then waits up to five seconds until `last` is in the output. A daemon that
    /// the program started may print `last` later.
    /// - Parameter last: a text that completes the output.
    /// - Returns: the output.
    /// - Throws: ``ProgramError`` if the program fails, or `last` does not appear.
    func output(until last: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try run(writingTo: file.path)
        for _ in 0..<500 {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            if text.contains(last) { return text }
            usleep(10_000)
        }
        throw ProgramError(path: path, status: nil)
    }
}

struct ProgramError: Error, CustomStringConvertible {
    let path: String
    let status: Int32?

    var description: String { "\(path) \(status.map { "failed with \($0)" } ?? "did not do what it should")." }
}
