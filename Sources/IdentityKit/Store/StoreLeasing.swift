import Foundation

/// How a file store holds a lease.
package enum StoreLeasing: Sendable, Equatable {
    /// A kernel lock, which ends when it is released or its process ends.
    case untilProcessEnds
    /// A note: a file with the holder's identifier and a deadline. After the deadline, another process can claim the
    /// lease. A holder that was suspended meanwhile writes nothing after such a claim.
    ///
    /// iOS kills a process that is suspended while it holds a lock in a shared container. With a note, a process holds no
    /// lock while it waits for the response to a request.
    case forAtMost(Duration)

    /// A kernel lock on macOS and Linux. Other systems suspend processes, so they use a note. Its deadline is 45 seconds
    /// after the claim, because a refresh takes less time.
    package static var platformDefault: StoreLeasing {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        .forAtMost(.seconds(45))
        #else
        .untilProcessEnds
        #endif
    }

    /// Claims the lease with the lock file at `path`; `nil` while another holder has the lease or the lock.
    /// - Parameter now: the time since the system was started.
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

/// A lease of a file store, held by a kernel lock or until a deadline.
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

/// A lease in the form of a note in a file. The note is written and removed under a lock, so that a holder cannot remove
/// the note of the next holder.
private final class TimedLease: FileLeaseLock {
    private struct Note: Codable {
        let owner: UUID
        let deadline: Duration
    }

    let endsAt: ContinuousClock.Instant?
    private let lockPath: String
    private let owner = UUID()

    private var path: String { Self.path(beside: lockPath) }

    /// Claims the lease; `nil` if the note of another holder has a deadline that has not passed. A deadline more than
    /// `duration` ahead is ignored, because it was set before the system was restarted. The caller has to hold the lock.
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

    /// Removes the note, with several attempts in about a second. If all fail, the lease ends at its deadline.
    func end() async {
        // Pause in a new task, which a cancelled caller does not cancel: other processes wait until the note is removed.
        let wait = { (pause: Duration) in _ = await Task { try? await Task.sleep(for: pause) }.value }
        try? await Backoff.result(within: .seconds(1), pausing: wait) { tryToEnd() ? () : nil }
    }

    /// Tries once to remove the note.
    /// - Returns: `false` when the lock could not be taken, and a later attempt may succeed; `true` when this holder's note
    ///   does not exist any more.
    private func tryToEnd() -> Bool {
        guard isStanding() else { return true }
        guard let lock = try? FileLock.tryLock(lockPath) else { return false }
        defer { lock.unlock() }
        if isStanding() { unlink(path) }
        return true
    }

    private static func path(beside lockPath: String) -> String { lockPath + "-note" }

    /// The note in the file; `nil` for a missing or unreadable note. An unreadable note may let a second holder in. Two
    /// holders are safe, because a write fails when the generation of the record has changed.
    private static func note(at path: String) -> Note? {
        (try? PrivateFile.read(path)).flatMap { try? JSONDecoder().decode(Note.self, from: $0) }
    }
}
