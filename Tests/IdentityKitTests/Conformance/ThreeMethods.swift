import Foundation
import IdentityKit

/// A provider of three methods that breaks one rule of the contract, deliberately.
final class ThreeMethods: IdentityProvider {
    /// What is wrong with it.
    enum Flaw: Sendable {
        case inventsAnAccount, showsAPage, hasNoIdentifier, trustsAnybody, forgetsNothing, throwsAnything, tellsItsToken
    }

    /// An error that nobody classified.
    private struct Nameless: Error {}

    let mayShowSignIn = false
    private let flaw: Flaw
    private let signedIn = Locked(false)
    private let shown = Locked(0)

    init(_ flaw: Flaw) {
        self.flaw = flaw
    }

    /// How many pages were shown.
    var pages: Int { shown.withLock { $0 } }

    private var account: AccountID { AccountID(account: flaw == .hasNoIdentifier ? "" : "ada", realm: "build") }

    func signIn() -> AccountID {
        signedIn.withLock { $0 = true }
        return account
    }

    func signOut() {
        if flaw != .forgetsNothing { signedIn.withLock { $0 = false } }
    }

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        if flaw == .showsAPage { shown.withLock { $0 += 1 } }
        return flaw == .inventsAnAccount || signedIn.withLock { $0 } ? account : nil
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        guard accountID == account, signedIn.withLock({ $0 }) else {
            switch flaw {
            case .trustsAnybody: return "build-token"
            case .throwsAnything: throw Nameless()
            case .tellsItsToken: throw TestFailure(message: "build-token is not for \(accountID).")
            default: throw SessionError.notSignedIn(accountID)
            }
        }
        return "build-token"
    }
}
