import Foundation
import IdentityKit

/// Saves a server's state after every change, if there is a storage.
final class StateKeeper: Sendable {
    private let storage: ServerStorage?
    private let state: @Sendable () throws -> Data
    private let saved: Locked<Data?>

    /// - Parameter state: returns the current state.
    init<State: Codable & Sendable>(_ storage: ServerStorage?, state: @escaping @Sendable () throws -> State) {
        self.storage = storage
        self.state = { try SavedDocument.encode(state()) }
        saved = Locked(storage?.content)
    }

    /// Saves the changes since the last time. Of two concurrent calls, the later one saves the changes of both.
    /// - Throws: what the storage throws. The next call then saves these changes, too.
    func save() throws {
        guard let storage else { return }
        try saved.withLock { saved in
            let state = try state()
            guard state != saved else { return }
            try storage.save(state)
            saved = state
        }
    }

    /// `response`, after the state is saved, so that no client relies on a state that a restart would lose.
    func keeping(_ response: LocalResponse) -> LocalResponse {
        do {
            try save()
            return response
        } catch {
            return .text("The server could not save what it did.\n", status: 503)
        }
    }
}

extension ServerStorage {
    /// The saved state; `nil` for a server that starts for the first time.
    /// - Throws: ``SavedStateError``.
    func state<State: Codable>(_ type: State.Type) throws -> State? {
        try content.map { try SavedDocument.decode(type, from: $0, name: name) }
    }
}

extension ServerStorage? {
    /// The result of `restore`. If a state was saved, a failure is reported as an error of that state.
    func naming<Result>(_ restore: () throws -> Result) throws -> Result {
        do {
            return try restore()
        } catch {
            guard let self, self.content != nil else { throw error }
            throw SavedStateError(name: self.name, detail: "a key in it is malformed")
        }
    }
}
