import Foundation
import IdentityKit

/// The authorization and logout requests that are in progress.
struct AuthorizationStore: Sendable {
    /// Requests that wait for a sign-in, by `authId`.
    let pending: ExpiringStore<AuthorizationRequest>
    /// Requests that were pushed and not used, by the last part of their `request_uri`.
    let pushed: ExpiringStore<AuthorizationRequest>
    /// Sign-outs that wait for their flow, by `logoutId`.
    let signOuts: ExpiringStore<String>
    let codes = OneTimeCodes<AuthorizationCode>()

    static let pushedLifetime: Int64 = 60
    static let codeLifetime: Duration = .seconds(600)

    init(time: TimeSource) {
        pending = ExpiringStore(lifetime: .seconds(3600), time: time)
        pushed = ExpiringStore(lifetime: .seconds(Self.pushedLifetime), time: time)
        signOuts = ExpiringStore(lifetime: .seconds(1800), time: time)
    }
}

struct AuthorizationCode: Sendable {
    let request: AuthorizationRequest
    let userID: String
    let attributeCacheID: String?
    let authenticationTime: Int64
    /// `acr`, when the flow reached a class.
    let authenticationClass: String?
    /// The family of the tokens it will bring.
    let familyID: String
    let expiresAt: Date
}
