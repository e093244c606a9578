#if os(Linux)
import Foundation

/// Keeps the key in the desktop's keyring, over the Secret Service D-Bus interface that GNOME Keyring, KWallet and
/// KeePassXC offer.
///
/// It is reached through `secret-tool`, which comes with libsecret: the interface wants an encrypted session, and the
/// reference client knows all its providers. Every call has a deadline, because a keyring may wait for a password that
/// nobody will type.
public struct SecretServiceKey: DataKeyHome {
    private let tool: String
    private let deadline: Duration

    /// - Parameters:
    ///   - tool: the program to run.
    ///   - deadline: the longest time one call may take.
    public init(tool: String = "secret-tool", deadline: Duration = .seconds(3)) {
        self.tool = tool
        self.deadline = deadline
    }

    /// `the desktop's keyring`
    public var name: String { "the desktop's keyring" }

    /// The stored key.
    /// - Throws: ``TokenStoreError/keyUnavailable(home:detail:)`` when the keyring is locked, absent or silent.
    public func key(forStore storeID: String) async throws -> DataKey? {
        let answer = try await run(["lookup"] + attributes(storeID))
        if answer.status == 0, !answer.output.isEmpty {
            guard let key = DataKey(text: Secret(answer.output)) else {
                throw TokenStoreError.keyUnavailable(home: name, detail: "the entry does not hold a key")
            }
            return key
        }
        // `secret-tool` says nothing when there is no such entry, and why when it could not ask.
        guard answer.complaint.isEmpty else {
            throw TokenStoreError.keyUnavailable(home: name, detail: answer.complaint)
        }
        return nil
    }

    /// Stores a new key, and reads it back: only what the keyring gives again is good.
    /// - Throws: ``TokenStoreError/keyUnavailable(home:detail:)``, ``RandomnessError``.
    public func makeKey(forStore storeID: String) async throws -> DataKey {
        let key = try DataKey()
        let answer = try await run(
            ["store", "--label=swift-identity token store"] + attributes(storeID), input: key.text.reveal())
        guard answer.status == 0 else {
            throw TokenStoreError.keyUnavailable(home: name, detail: answer.complaint)
        }
        guard let stored = try await self.key(forStore: storeID) else {
            throw TokenStoreError.keyUnavailable(home: name, detail: "it did not keep the key")
        }
        return stored
    }

    private func attributes(_ storeID: String) -> [String] {
        ["application", "swift-identity", "store", storeID]
    }

    private func run(_ arguments: [String], input: String = "") async throws -> ToolRun.Answer {
        do {
            return try await ToolRun(tool, arguments, input: input).answer(within: deadline)
        } catch ToolRun.RunError.timedOut {
            throw TokenStoreError.keyUnavailable(
                home: name, detail: "it did not answer within \(deadline.formattedSeconds). Unlock it and try again")
        } catch ToolRun.RunError.cannotStart(let detail) {
            throw TokenStoreError.keyUnavailable(
                home: name, detail: "\(tool) cannot be run (\(detail)). Install libsecret-tools, or name a key file")
        }
    }
}

/// One run of a program with a deadline.
struct ToolRun {
    struct Answer: Sendable {
        let status: Int32
        let output: String
        let complaint: String
    }

    enum RunError: Error {
        case cannotStart(String)
        case timedOut
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let complaint = Pipe()
    private let text: String

    init(_ tool: String, _ arguments: [String], input text: String) {
        self.text = text
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, complaint)
    }

    /// Runs the program off the tasks' threads, because reading its output blocks.
    func answer(within deadline: Duration) async throws -> Answer {
        do {
            try process.run()
        } catch {
            throw RunError.cannotStart(error.localizedDescription)
        }
        let hasEnded = Locked(false)
        let pid = process.processIdentifier
        let guardian = Task {
            try await Task.sleep(for: deadline)
            // Under the lock, so that the number cannot belong to another process by then.
            hasEnded.withLock { if !$0 { kill(pid, SIGKILL) } }
        }
        let answer = await finish(hasEnded)
        guardian.cancel()
        if process.terminationReason == .uncaughtSignal { throw RunError.timedOut }
        if answer.status == 127 { throw RunError.cannotStart("it is not installed") }
        return answer
    }

    private func finish(_ hasEnded: Locked<Bool>) async -> Answer {
        let run = Handles(process: process, input: input, output: output, complaint: complaint)
        let text = text
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                // A program that ends without reading must not end this process too.
                var brokenPipe = sigset_t()
                sigemptyset(&brokenPipe)
                sigaddset(&brokenPipe, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
                try? run.input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
                try? run.input.fileHandleForWriting.close()
                let output = run.output.fileHandleForReading.readDataToEndOfFile()
                let complaint = run.complaint.fileHandleForReading.readDataToEndOfFile()
                run.process.waitUntilExit()
                hasEnded.withLock { $0 = true }
                continuation.resume(
                    returning: Answer(
                        status: run.process.terminationStatus, output: String(decoding: output, as: UTF8.self),
                        complaint: String(decoding: complaint, as: UTF8.self)
                            .trimmingCharacters(in: .whitespacesAndNewlines)))
            }
        }
    }

    /// Unchecked is sound: after the start only the one detached thread touches these, until it has resumed the caller.
    private struct Handles: @unchecked Sendable {
        let process: Process
        let input: Pipe
        let output: Pipe
        let complaint: Pipe
    }
}
#endif
