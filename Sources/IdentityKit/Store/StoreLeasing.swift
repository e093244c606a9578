import Foundation

/// How a file store holds the right to spend what a record holds.
public enum StoreLeasing: Sendable, Equatable {
    /// By a kernel lock for as long as it takes. It ends with its process, never before.
    case untilProcessEnds
    /// By a note with a deadline. iOS ends a process that is suspended while it holds a lock in a shared container, so
    /// there no lock may be held across a request. Whoever comes back after the deadline finds the right taken over and
    /// writes nothing.
    case forAtMost(Duration)

    /// The kernel lock where processes are not suspended, otherwise a note of 45 seconds: longer than a refresh takes.
    public static var platformDefault: StoreLeasing {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        .forAtMost(.seconds(45))
        #else
        .untilProcessEnds
        #endif
    }

    /// The hold on the lock file at `path`; `nil` while somebody else has it.
    func claim(_ path: String, at now: Date) throws -> (any LeaseHold)? {
        guard let lock = try FileLock.tryLock(path) else { return nil }
        switch self {
        case .untilProcessEnds:
            return LockedHold(lock: lock)
        case .forAtMost(let duration):
            defer { lock.unlock() }
            return try NotedHold(beside: path, until: now + duration.timeInterval, at: now)
        }
    }
}

/// A lease as a file store holds it.
protocol LeaseHold: Sendable {
    /// Whether the right is still ours, so that a result may be written.
    func isStanding() -> Bool
    /// When others may take it over.
    var endsAt: Date? { get }
    func end() async
}

/// A lease that is a kernel lock.
private struct LockedHold: LeaseHold {
    let lock: FileLock

    func isStanding() -> Bool { true }
    var endsAt: Date? { nil }
    func end() { lock.unlock() }
}

/// A lease that is a note in a file. The note is read, written and removed under the lock beside it: who looks at it and
/// then removes it may otherwise remove the note of the next holder.
private final class NotedHold: LeaseHold {
    private struct Note: Codable {
        let owner: UUID
        let deadline: Date
    }

    let endsAt: Date?
    private let lockPath: String
    private let owner = UUID()

    private var path: String { Self.path(beside: lockPath) }

    /// `nil` when somebody else's note is still good.
    init?(beside lockPath: String, until deadline: Date, at now: Date) throws {
        self.lockPath = lockPath
        endsAt = deadline
        let path = Self.path(beside: lockPath)
        // One that reaches too far was written before the clock was set back.
        if let note = Self.note(at: path), now < note.deadline, note.deadline <= deadline { return nil }
        let draft = try DraftFile(in: StorePath.folder(of: path))
        try draft.replace(path, with: JSONEncoder().encode(Note(owner: owner, deadline: deadline)))
    }

    deinit { _ = tryToEnd() }

    func isStanding() -> Bool {
        Self.note(at: path)?.owner == owner
    }

    /// A note that cannot be removed ends with its deadline.
    func end() async {
        var backoff = Backoff(deadline: .seconds(1))
        while !tryToEnd(), let pause = backoff.next() {
            // Also in a task that was cancelled: others wait for this note.
            await Task { try? await Task.sleep(for: pause) }.value
        }
    }

    /// - Returns: whether there is nothing to remove any more.
    private func tryToEnd() -> Bool {
        guard isStanding() else { return true }
        guard let lock = try? FileLock.tryLock(lockPath) else { return false }
        defer { lock.unlock() }
        if isStanding() { unlink(path) }
        return true
    }

    private static func path(beside lockPath: String) -> String { lockPath + "-note" }

    /// An unreadable note is nobody's: the generation decides in the end who may write.
    private static func note(at path: String) -> Note? {
        (try? PrivateFile.read(path)).flatMap { try? JSONDecoder().decode(Note.self, from: $0) }
    }
}
