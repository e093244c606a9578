import Foundation
import IdentityKit

/// Saves a server's state after each request that changed it, if there is a storage.
final class StateKeeper: Sendable {
    private let storage: ServerStorage?
    private let state: @Sendable () throws -> Data
    private let saved: Locked<Data?>

    /// - Parameter state: returns the state to save. Called by each ``save()``, while a lock is held.
    init<State: Codable & Sendable>(_ storage: ServerStorage?, state: @escaping @Sendable () throws -> State) {
        self.storage = storage
        self.state = { try SavedDocument.encode(state()) }
        saved = Locked(storage?.content)
    }

    /// Saves the state if it differs from the last saved one. Concurrent calls save one after the other, so that an
    /// older state never replaces a newer one.
    /// - Throws: an error of the storage, or of reading or encoding the state. The next call then tries again.
    func save() throws {
        guard let storage else { return }
        try saved.withLock { saved in
            let state = try state()
            guard state != saved else { return }
            try storage.save(state)
            saved = state
        }
    }

    /// Saves the state and returns `response`, so that no client relies on a state that a restart would lose. If the state
    /// cannot be saved, returns a response with the status 503 instead.
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
    /// Returns the saved state; `nil` for a server that starts for the first time.
    /// - Throws: ``SavedStateError`` if the saved state is malformed or was written by a newer version of the program.
    func state<State: Codable>(_ type: State.Type) throws -> State? {
        try content.map { try SavedDocument.decode(type, from: $0, name: name) }
    }
}

extension ServerStorage? {
    /// Returns the result of `restore`, which creates a server's backend from the saved state.
    /// - Throws: if `restore` fails, a ``SavedStateError`` with the storage's name. Without a saved state, throws the error of
    ///   `restore` instead.
    func naming<Result>(_ restore: () throws -> Result) throws -> Result {
        do {
            return try restore()
        } catch {
            guard let self, self.content != nil else { throw error }
            throw SavedStateError(name: self.name, detail: "a key in it is malformed")
        }
    }
}
