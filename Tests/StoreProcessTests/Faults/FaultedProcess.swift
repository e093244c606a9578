#if os(Linux)
import Foundation
import IdentityKit

/// A program that is run once, with what it prints in files.
struct FaultedProcess: Sendable {
    /// How it ended.
    struct Outcome: Sendable, CustomStringConvertible {
        /// The exit status; `nil` when a signal ended it.
        let status: Int32?
        let output: String
        let errors: String
        /// The system calls it made, or was about to make.
        var calls: [SystemCall] = []

        /// SHA-256 of the access token that was printed.
        var digest: String? {
            let line = output.split(separator: "\n").last.map(String.init) ?? ""
            if line.hasPrefix("token ") { return String(line.dropFirst(6)) }
            return line.hasPrefix("eyJ") ? sha256(Data(line.utf8)).hexEncoded : nil
        }

        /// Without tokens.
        var description: String {
            let failures = output.split(separator: "\n").filter { $0.hasPrefix("failed ") }.joined(separator: " / ")
            return (status.map { "exit \($0)" } ?? "a signal") + (digest == nil ? "" : ", a token was printed")
                + "; \(failures)\(errors.replacingOccurrences(of: "\n", with: " / ").prefix(400))"
        }

        /// How the program says that it went. One that a signal has ended says nothing.
        var claim: Claim? {
            // The probe has a line for each of its questions, and one status for all.
            if output.split(separator: "\n").contains(where: { $0.hasPrefix("failed ") }) { return .failure }
            return status.map { $0 == 0 ? .success : errors.isEmpty ? .unexplainedFailure : .failure }
        }

        enum Claim: Sendable {
            case success
            case failure
            /// A status without a word.
            case unexplainedFailure
        }
    }

    let program: URL
    let arguments: [String]
    let environment: [String: String]
    /// How many files it may have open; `nil` for as many as the tests.
    let openFiles: Int?
    /// What standard input holds.
    let input: URL
    /// Where its output goes.
    let folder: URL

    func run() async throws -> Outcome {
        let (output, errors) = (try emptyFile("output"), try emptyFile("errors"))
        let standardInput = try FileHandle(forReadingFrom: input)
        let process = Process()
        process.executableURL = openFiles == nil ? program : URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            (openFiles.map { ["-c", "ulimit -n \($0) && exec \"$0\" \"$@\"", program.path] } ?? []) + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        (process.standardInput, process.standardOutput, process.standardError) = (
            standardInput, output.handle, errors.handle
        )
        let (ends, ended) = AsyncStream<Int32?>.makeStream()
        process.terminationHandler = { process in
            ended.yield(process.terminationReason == .exit ? process.terminationStatus : nil)
            ended.finish()
        }
        try process.run()
        let identifier = process.processIdentifier
        let status = await withTaskCancellationHandler {
            for await status in ends { return status }
            return nil
        } onCancel: {
            // The test's time is up.
            kill(identifier, SIGKILL)
        }
        for handle in [standardInput, output.handle, errors.handle] { try? handle.close() }
        return Outcome(
            status: status, output: String(decoding: try Data(contentsOf: output.url), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors.url), as: UTF8.self))
    }

    private func emptyFile(_ name: String) throws -> (url: URL, handle: FileHandle) {
        let url = folder.appendingPathComponent("\(name)-\(UUID().uuidString)")
        try Data().write(to: url)
        return (url, try FileHandle(forWritingTo: url))
    }
}
#endif
