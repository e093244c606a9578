import Foundation
import Testing

@testable import IdentityKit

/// Messages of errors about an account, which people read.
@Suite struct AccountMessageTests {
    private static let account = AccountID(account: "01JCK3Z7", realm: "work")

    private static let ofSessions: [SessionError] = [
        .notSignedIn(account), .ended(account, reason: "It is over."),
        .belongsElsewhere(account, reason: "It is of another client."),
        .suspended(account, Suspension("k", because: "No.", retries: .never, at: .distantPast)),
        .cannotRefresh(account), .insufficientScope(account, missing: ["mail"]), .refreshInProgress(account),
        .refreshPostponed(account, reason: "No.", nextAttempt: .distantFuture),
        .refreshRefused(account, reason: "No.", nextAttempt: .distantFuture),
        .clientRefused(account, reason: "No.", nextAttempt: .distantFuture),
        .stepUpNeeded(account, scopes: ["mail"], reason: "No.", nextAttempt: .distantFuture),
        .resourceNotGranted(account, resource: "https://api.example.com", reason: "No.", nextAttempt: nil),
    ]

    @Test(
        "An account without a token is told by its provider, and to operators by its identifier", arguments: ofSessions)
    func session(error: SessionError) {
        #expect(error.message.contains(" with work") && !error.message.contains(Self.account.account))
        #expect(error.messageWithIdentifier.contains(" \(Self.account)"))
        #expect(!error.messageWithIdentifier.contains("with work"))
    }

    @Test("No other message has an identifier")
    func others() {
        let errors: [any IdentityFailure] = [
            SessionChangedError(SessionNumber(1, of: Self.account)), FixedTokenError.notSignedIn(Self.account),
            ChainUsageError.unknownRealm(Self.account, known: ["home"]),
            ChainUsageError.foreignAccount(Self.account, provider: "home"), SessionImportError.occupied(Self.account),
            ForeignSessionError(account: Self.account, otherOrigin: "belongs to another client"),
        ]
        for error in errors { #expect(!error.message.contains(Self.account.account), "\(error.message)") }
    }
}
