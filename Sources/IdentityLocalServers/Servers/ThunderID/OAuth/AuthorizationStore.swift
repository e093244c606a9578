import Foundation
import IdentityKit

/// Authorization and sign-out requests in progress.
struct AuthorizationStore: Sendable {
    /// Requests that wait for a sign-in, by `authId`.
    let pending: ExpiringStore<AuthorizationRequest>
    /// Pushed requests that have not been used yet, by the last part of their `request_uri`.
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
    /// The `acr` that the flow reached; `nil` for none.
    let authenticationClass: String?
    /// Identifier of the family of the future tokens.
    let familyID: String
    let expiresAt: Date
}
