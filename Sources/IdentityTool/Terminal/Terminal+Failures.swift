import IdentityKit
import IdentityTerminal

extension Terminal {
    /// Says on standard error which records could not be read, when the command goes on with the others.
    func report(_ failures: [TokenStoreError]) {
        for failure in failures { note("identity: \(failure.message.visible)") }
    }
}
