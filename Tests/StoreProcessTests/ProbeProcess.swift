import Foundation
import IdentityKit
import TestSupport

/// A process of the executable `store-probe`, which the build puts beside the tests.
final class ProbeProcess: Sendable {
    /// How a process ended.
    struct Outcome: Sendable {
        let lines: [String]
        /// The exit status; `nil` when a signal ended it.
        let status: Int32?

        var tokens: [String] { lines.filter { $0.hasPrefix("token ") } }
        var failures: [String] { lines.filter { $0.hasPrefix("failed ") }.map { String($0.dropFirst(7)) } }
    }

    /// Unchecked is sound: after its start the process is only signalled, which is thread-safe, and waited for by one
    /// thread.
    private struct Running: @unchecked Sendable {
        let process = Process()
        let output = Pipe()
    }

    private let running = Running()
    private let printed: AsyncStream<String>
    private let outcome: Task<Outcome, Never>

    /// Starts a probe.
    /// - Parameters:
    ///   - fault: `point=action`, see the kit's fault points.
    ///   - variables: what its environment has beyond this process's.
    ///   - machine: the network namespace in which it runs.
    ///   - folder: its working directory; `nil` for this process's.
    init(
        _ arguments: [String], fault: String? = nil, variables: [String: String] = [:], machine: String? = nil,
        in folder: URL? = nil
    ) throws {
        let process = running.process
        if let folder { process.currentDirectoryURL = folder }
        let program = BuiltProgram.url("store-probe")
        if let machine {
            process.executableURL = URL(fileURLWithPath: "/usr/sbin/ip")
            process.arguments = ["netns", "exec", machine, program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.standardOutput = running.output
        process.environment = ProcessInfo.processInfo.environment.merging(
            fault.map { ["SWIFT_IDENTITY_FAULT": $0] } ?? [:]
        ) { _, new in new }.merging(variables) { _, new in new }
        try process.run()
        let (printed, listener) = AsyncStream.makeStream(of: String.self)
        self.printed = printed
        outcome = Task { [running] in await Self.finish(running, telling: listener) }
    }

    func signal(_ number: Int32) {
        kill(running.process.processIdentifier, number)
    }

    /// Waits until the probe has printed `line`, or has ended. Only one may wait.
    func waitFor(_ line: String) async {
        for await printed in printed where printed == line { return }
    }

    /// Waits until the kernel has stopped the process, or it has ended.
    func waitUntilStopped() async { await StoppedProcess.wait(for: running.process.processIdentifier) }

    /// Waits until the process ends.
    func end() async -> Outcome {
        await outcome.value
    }

    private static func finish(
        _ running: Running, telling listener: AsyncStream<String>.Continuation
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            // A thread of its own: reading blocks, and the tasks' threads are few.
            Thread.detachNewThread {
                var pending = Data()
                var lines: [String] = []
                while true {
                    let part = running.output.fileHandleForReading.availableData
                    if part.isEmpty { break }
                    pending += part
                    let complete = pending.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                    pending = Data(complete.last ?? Data())
                    let new = complete.dropLast().map { String(decoding: $0, as: UTF8.self) }
                    lines += new
                    for line in new { listener.yield(line) }
                }
                listener.finish()
                // At once: a program cannot be started where too many files are open.
                try? running.output.fileHandleForReading.close()
                running.process.waitUntilExit()
                let hasExited = running.process.terminationReason == .exit
                continuation.resume(
                    returning: Outcome(lines: lines, status: hasExited ? running.process.terminationStatus : nil))
            }
        }
    }
}
