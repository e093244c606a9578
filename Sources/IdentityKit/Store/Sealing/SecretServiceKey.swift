#if os(Linux)
import Foundation

/// Keeps the key in the desktop's keyring, over the Secret Service D-Bus interface of GNOME Keyring, KWallet and
/// KeePassXC.
///
/// Runs `secret-tool` of libsecret, the reference client of the interface. Every call has a deadline, because a locked
/// keyring waits for a password.
package struct SecretServiceKey: DataKeyHome {
    private let tool: String
    private let deadline: Duration
    /// Environment of the program; `nil` for that of this process.
    private let variables: [String: String]?

    /// Creates a value that keeps a store's key in the desktop's keyring. The keyring is used by the first call, not here.
    /// - Parameters:
    ///   - tool: the program to run.
    ///   - deadline: the longest time one call may take.
    package init(tool: String = "secret-tool", deadline: Duration = .seconds(3)) {
        self.init(tool: tool, deadline: deadline, variables: nil)
    }

    init(tool: String = "secret-tool", deadline: Duration = .seconds(3), variables: [String: String]?) {
        self.tool = tool
        self.deadline = deadline
        self.variables = variables
    }

    package var name: String { "the desktop's keyring" }

    /// Reads the key from the keyring; `nil` when there is no entry.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)`` when the keyring is locked, absent or does
    ///   not respond, the program is not installed, or the entry is not a key.
    package func key(forStore storeID: String) async throws -> DataKey? {
        let result = try await run(["lookup"] + attributes(storeID))
        if result.status == 0, !result.output.isEmpty { return try key(in: result.output, of: "entry") }
        // `secret-tool` prints an error when the keyring failed, and nothing when there is no such entry.
        guard result.errors.isEmpty else { throw unavailable(result.errors) }
        return nil
    }

    /// An array with the key that `key(forStore:)` returns; empty if it returns `nil`.
    /// - Throws: as `key(forStore:)`.
    package func keys(forStore storeID: String) async throws -> [DataKey] {
        try await key(forStore: storeID).map { [$0] } ?? []
    }

    /// Stores a new key in place of any existing one. Reads the key back to check that the keyring kept it.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``, `RandomnessError`.
    package func makeKey(forStore storeID: String) async throws -> DataKey {
        let key = try DataKey()
        let result = try await run(
            ["store", "--label=swift-identity token store"] + attributes(storeID), input: key.text.reveal())
        guard result.status == 0 else { throw unavailable(result.errors) }
        guard let stored = try await self.key(forStore: storeID) else { throw unavailable("it did not keep the key") }
        return stored
    }

    private func attributes(_ storeID: String) -> [String] {
        ["application", "swift-identity", "store", storeID]
    }

    private func run(_ arguments: [String], input: String = "") async throws -> ToolRun.Outcome {
        do {
            return try await ToolRun(tool, arguments, input: input, variables: variables).outcome(within: deadline)
        } catch ToolRun.RunError.timedOut {
            throw unavailable("it did not respond within \(deadline.inWholeSeconds). Unlock it and try again")
        } catch ToolRun.RunError.cannotStart(let detail) {
            throw unavailable("\(tool) cannot be run (\(detail)). Install libsecret-tools, or name a key file")
        }
    }
}

extension SecretServiceKey: LockableDataKeyHome {}

struct ToolRun {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    enum RunError: Error {
        case cannotStart(String)
        case timedOut
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let text: String

    init(_ tool: String, _ arguments: [String], input text: String, variables: [String: String]?) {
        self.text = text
        if let variables { process.environment = variables }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
    }

    /// Starts the program, and reads its output on a separate thread, because reading blocks. At the deadline, the
    /// program is killed, together with its process group if it leads one. In that case the call does not wait for the
    /// end of the output, because a surviving child may keep the output open.
    /// - Throws: ``RunError/timedOut`` at the deadline and when a signal ends the program, ``RunError/cannotStart(_:)``
    ///   when the program is not installed or cannot be started.
    func outcome(within deadline: Duration) async throws -> Outcome {
        do {
            try process.run()
        } catch {
            throw RunError.cannotStart(error.localizedDescription)
        }
        let pid = process.processIdentifier
        let leadsGroup = getpgid(pid) == pid
        let outcome: Outcome? = await withCheckedContinuation { continuation in
            let caller = Locked<CheckedContinuation<Outcome?, Never>?>(continuation)
            let guardian = Task {
                try await Task.sleep(for: deadline)
                // Kill under the lock, so that no signal is sent once the outcome was returned.
                caller.withLock { caller in
                    guard let waiting = caller else { return }
                    kill(leadsGroup ? -pid : pid, SIGKILL)
                    caller = nil
                    waiting.resume(returning: nil)
                }
            }
            finish { outcome in
                guardian.cancel()
                caller.exchange(nil)?.resume(returning: outcome)
            }
        }
        guard let outcome, process.terminationReason == .exit else { throw RunError.timedOut }
        if outcome.status == 127 { throw RunError.cannotStart("it is not installed") }
        return outcome
    }

    private func finish(_ done: @escaping @Sendable (Outcome) -> Void) {
        let run = Handles(process: process, input: input, output: output, errors: errors)
        let text = text
        Thread.detachNewThread {
            // Block SIGPIPE: a program that ends without reading its input must not end this process.
            var brokenPipe = sigset_t()
            sigemptyset(&brokenPipe)
            sigaddset(&brokenPipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
            try? run.input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            try? run.input.fileHandleForWriting.close()
            let output = run.output.fileHandleForReading.readDataToEndOfFile()
            let errors = run.errors.fileHandleForReading.readDataToEndOfFile()
            run.process.waitUntilExit()
            done(
                Outcome(
                    status: run.process.terminationStatus, output: String(decoding: output, as: UTF8.self),
                    errors: String(decoding: errors, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
        }
    }

    /// Unchecked conformance is sound: after the start, only the detached thread uses these objects until it has resumed
    /// the caller. A caller that was resumed at the deadline uses none of them.
    private struct Handles: @unchecked Sendable {
        let process: Process
        let input: Pipe
        let output: Pipe
        let errors: Pipe
    }
}

extension SecretServiceKey: Reticent {
    /// Shows the program and the deadline, but not the environment, which may contain secrets.
    package var shown: KeyValuePairs<String, Any> { ["tool": tool, "deadline": deadline] }
}
#endif
