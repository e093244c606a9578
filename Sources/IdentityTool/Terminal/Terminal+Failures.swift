import IdentityKit
import IdentityTerminal

extension Terminal {
    /// Prints on standard error which records could not be read. The command goes on with the other records.
    func report(_ failures: [TokenStoreError]) {
        for failure in failures { note("identity: \(failure.message.visible)") }
    }
}
