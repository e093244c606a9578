import IdentityKit

/// Refreshed sessions could not be stored before the tool ended, so their next use may fail.
struct SessionsNotStoredError: IdentityFailure {
    private let accounts: [AccountID]

    /// Creates an error about these accounts, sorted by identifier; `nil` if there are none.
    init?(_ accounts: [AccountID]) {
        guard !accounts.isEmpty else { return nil }
        self.accounts = accounts.sorted { $0.id < $1.id }
    }

    var failureCode: String { "session_not_stored" }
    var failureClass: FailureClass { .transient }

    var message: String {
        let names = accounts.map { "\($0)" }.joined(separator: ", ")
        return
            "The refreshed session of \(names) could not be stored, so the server may end it. Make the store writable and "
            + "sign in again."
    }
}
