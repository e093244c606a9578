import Foundation
import IdentityKit

/// Authorization and sign-out requests in progress.
struct AuthorizationStore: Sendable {
    /// Requests that wait for a sign-in, by `authId`.
    let pending: ExpiringStore<AuthorizationRequest>
    /// Pushed requests that have not been used yet, by their `request_uri` without its prefix.
    let pushed: ExpiringStore<AuthorizationRequest>
    /// The return addresses of sign-outs in progress, by `logoutId`. For a sign-out without a redirect URI, the address
    /// is empty.
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
    /// The `acr` of the sign-in method, chosen by the person or because only it meets the request; `nil` if the flow has
    /// only one method.
    let authenticationClass: String?
    /// The identifier of the token family, which consists of the tokens issued for this code and all their successors. The
    /// family starts when the code is redeemed.
    let familyID: String
    let expiresAt: Date
}
