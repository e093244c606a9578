import Foundation
import IdentityKit

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
    private let lines = Locked<[String]>([])
    private let outcome: Task<Outcome, Never>

    /// Starts a probe.
    /// - Parameter fault: `point=action`, see the kit's fault points.
    init(_ arguments: [String], fault: String? = nil) throws {
        let process = running.process
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardOutput = running.output
        process.environment = ProcessInfo.processInfo.environment.merging(
            fault.map { ["SWIFT_IDENTITY_FAULT": $0] } ?? [:]
        ) { _, new in new }
        try process.run()
        outcome = Task { [running, lines] in await Self.finish(running, lines) }
    }

    func signal(_ number: Int32) {
        kill(running.process.processIdentifier, number)
    }

    /// Waits until the probe has printed `line`, or has ended.
    func waitFor(_ line: String) async {
        while running.process.isRunning, !lines.withLock({ $0.contains(line) }) {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Waits until the kernel has stopped the process.
    func waitUntilStopped() async {
        let path = "/proc/\(running.process.processIdentifier)/stat"
        while running.process.isRunning {
            let state = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: ")").last
            if state?.hasPrefix(" T") == true { return }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Waits until the process ends.
    func end() async -> Outcome {
        await outcome.value
    }

    private static func finish(_ running: Running, _ lines: Locked<[String]>) async -> Outcome {
        await withCheckedContinuation { continuation in
            // A thread of its own: reading blocks, and the tasks' threads are few.
            Thread.detachNewThread {
                var pending = Data()
                while true {
                    let part = running.output.fileHandleForReading.availableData
                    if part.isEmpty { break }
                    pending += part
                    let complete = pending.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                    pending = Data(complete.last ?? Data())
                    let new = complete.dropLast().map { String(decoding: $0, as: UTF8.self) }
                    lines.withLock { $0 += new }
                }
                running.process.waitUntilExit()
                let hasExited = running.process.terminationReason == .exit
                continuation.resume(
                    returning: Outcome(
                        lines: lines.withLock { $0 }, status: hasExited ? running.process.terminationStatus : nil))
            }
        }
    }

    private static var executable: URL {
        // Tests run from the build folder's test product; the executables lie beside it.
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        var folder = tests.deletingLastPathComponent()
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        return folder.appendingPathComponent("store-probe")
    }
}
