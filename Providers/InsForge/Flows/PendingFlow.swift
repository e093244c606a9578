import Foundation
import IdentityKit
import IdentityOAuth

/// A flow that the app has started and whose callback it awaits: a sign-in in the browser, or the opening of a mailed
/// link.
struct PendingFlow: PendingFlowRecord, Hashable, Identifiable {
    enum Kind: String, Codable, Sendable {
        /// A sign-in on the page of an OAuth provider.
        case oauth
        /// A sign-in on the page that servers before March 2026 host.
        case hostedPage
        /// A mail with a link that verifies an address.
        case verifyEmail
        /// A mail with a link that sets a new password.
        case resetPassword

        /// The time until the flow expires. The server keeps the `state` of a sign-in for an hour, and a mailed link for a
        /// day.
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
    /// The base URL of the server at which the flow was started.
    let backend: String
    /// The redirect URI of the request, including the `state` if this library has added one.
    let redirectURI: URL
    /// The PKCE code verifier; `nil` for a mailed link, which returns no authorization code.
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
