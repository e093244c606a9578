import Foundation
import IdentityKit
import IdentityOAuth

/// A flow that was started here and ends with a callback: a sign-in in the browser, or the opening of a mailed link.
struct PendingFlow: PendingFlowRecord, Hashable, Identifiable {
    enum Kind: String, Codable, Sendable {
        /// The page of an OAuth provider.
        case oauth
        /// The hosted page of old servers.
        case hostedPage
        /// A mail with a link that verifies an address.
        case verifyEmail
        /// A mail with a link that sets a new password.
        case resetPassword

        /// The time allowed for the callback: the server keeps its `state` for an hour, and mailed links for a day.
        var lifetime: Duration {
            switch self {
            case .oauth, .hostedPage: .seconds(3600)
            case .verifyEmail, .resetPassword: .seconds(24 * 3600)
            }
        }
    }

    let id: String
    var flowID: String { id }
    let kind: Kind
    /// The server of the flow.
    let backend: String
    /// The requested redirect URI, with the flow's own `state` if it has one.
    let redirectURI: URL
    /// The PKCE verifier; `nil` if no code is exchanged.
    let verifier: CodeVerifier?
    let startedAt: Date
    let expiresAt: Date

    init(_ kind: Kind, backend: String, redirectURI: URL, verifier: CodeVerifier? = nil, id: String, at now: Date) {
        self.id = id
        self.kind = kind
        self.backend = backend
        self.redirectURI = redirectURI
        self.verifier = verifier
        startedAt = now
        expiresAt = now + kind.lifetime.timeInterval
    }

    func expects(_ callback: InsForgeCallback) -> Bool {
        switch callback {
        case .code, .failure, .legacyToken: kind == .oauth || kind == .hostedPage
        case .emailVerified, .emailNotVerified: kind == .verifyEmail
        case .passwordReset, .passwordResetFailed: kind == .resetPassword
        }
    }
}
