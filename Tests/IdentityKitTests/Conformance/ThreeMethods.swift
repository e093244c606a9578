import Foundation
import IdentityKit

/// A provider of three methods with one mistake, which breaks one rule of the contract and keeps all others.
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
    private let hasSignedIn = Locked(false)
    private let shown = Locked(0)

    init(_ flaw: Flaw) {
        self.flaw = flaw
    }

    /// How many pages were shown.
    var pages: Int { shown.withLock { $0 } }

    private var account: AccountID { AccountID(account: flaw == .hasNoIdentifier ? "" : "ada", realm: "build") }

    func signIn() -> AccountID {
        signedIn.withLock { $0 = true }
        hasSignedIn.withLock { $0 = true }
        return account
    }

    func signOut() {
        if flaw != .forgetsNothing { signedIn.withLock { $0 = false } }
    }

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        let isSignedIn = signedIn.withLock { $0 }
        if flaw == .showsAPage, !isSignedIn { shown.withLock { $0 += 1 } }
        let isInvented = flaw == .inventsAnAccount && !hasSignedIn.withLock { $0 }
        return isInvented || isSignedIn ? account : nil
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        let isSignedIn = signedIn.withLock { $0 }
        guard accountID == account, isSignedIn else {
            switch flaw {
            case .trustsAnybody where isSignedIn: return "build-token"
            case .throwsAnything: throw Nameless()
            case .tellsItsToken: throw TestError(message: "build-token is not for \(accountID).")
            default: throw SessionError.notSignedIn(accountID)
            }
        }
        return "build-token"
    }
}
