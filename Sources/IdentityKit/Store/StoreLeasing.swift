import Foundation

/// How a file store holds a lease.
public enum StoreLeasing: Sendable, Equatable {
    /// A kernel lock, which ends when it is released or its process ends.
    case untilProcessEnds
    /// A note with a deadline. iOS kills a process that is suspended while it holds a lock in a shared container, so no
    /// lock may be held during a request there. A process that resumes after the deadline has lost the lease and writes
    /// nothing.
    case forAtMost(Duration)

    /// A kernel lock if the system does not suspend processes, otherwise a note for 45 seconds, which is longer than a
    /// refresh.
    public static var platformDefault: StoreLeasing {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        .forAtMost(.seconds(45))
        #else
        .untilProcessEnds
        #endif
    }

    /// The lease with the lock file at `path`; `nil` while another holder has it.
    /// - Parameter now: the boot time.
    func claim(_ path: String, at now: Duration) throws -> (any FileLeaseLock)? {
        guard let lock = try FileLock.tryLock(path) else { return nil }
        switch self {
        case .untilProcessEnds:
            return LockedHold(lock: lock)
        case .forAtMost(let duration):
            defer { lock.unlock() }
            return try TimedLease(beside: path, for: duration, at: now)
        }
    }
}

/// A lease as a file store holds it.
protocol FileLeaseLock: Sendable {
    /// Whether the lease is still held, so that a result may be written.
    func isStanding() -> Bool
    var endsAt: ContinuousClock.Instant? { get }
    func end() async
}

private struct LockedHold: FileLeaseLock {
    let lock: FileLock

    func isStanding() -> Bool { true }
    var endsAt: ContinuousClock.Instant? { nil }
    func end() { lock.unlock() }
}

/// A lease in the form of a note in a file. The note is read, written and removed under a lock, so that a holder cannot
/// remove the note of the next one.
private final class TimedLease: FileLeaseLock {
    private struct Note: Codable {
        let owner: UUID
        let deadline: Duration
    }

    let endsAt: ContinuousClock.Instant?
    private let lockPath: String
    private let owner = UUID()

    private var path: String { Self.path(beside: lockPath) }

    /// Claims the lease; `nil` while the note of another holder is valid.
    init?(beside lockPath: String, for duration: Duration, at now: Duration) throws {
        self.lockPath = lockPath
        endsAt = .now + duration
        let path = Self.path(beside: lockPath)
        if let note = Self.note(at: path), note.deadline.isAhead(of: now, byAtMost: duration) { return nil }
        let draft = try TemporaryFile(in: StorePath.folder(of: path))
        try draft.replace(path, with: JSONEncoder().encode(Note(owner: owner, deadline: now + duration)))
    }

    deinit { _ = tryToEnd() }

    func isStanding() -> Bool {
        Self.note(at: path)?.owner == owner
    }

    /// Removes the note. If that fails, the lease ends with its deadline.
    func end() async {
        // Runs even in a cancelled task, because other processes wait for the note to go.
        let wait = { (pause: Duration) in _ = await Task { try? await Task.sleep(for: pause) }.value }
        try? await Backoff.result(within: .seconds(1), pausing: wait) { tryToEnd() ? () : nil }
    }

    /// Tries once to remove the note.
    /// - Returns: whether the note is gone.
    private func tryToEnd() -> Bool {
        guard isStanding() else { return true }
        guard let lock = try? FileLock.tryLock(lockPath) else { return false }
        defer { lock.unlock() }
        if isStanding() { unlink(path) }
        return true
    }

    private static func path(beside lockPath: String) -> String { lockPath + "-note" }

    /// The note in the file; `nil` for an unreadable one, which is safe because writes compare the generation.
    private static func note(at path: String) -> Note? {
        (try? PrivateFile.read(path)).flatMap { try? JSONDecoder().decode(Note.self, from: $0) }
    }
}
