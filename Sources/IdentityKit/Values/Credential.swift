import Foundation

/// What a backend granted for one account: the tokens of a session and the facts needed to renew them.
public struct Credential: Sendable, Equatable, Codable {
    /// The token for resource servers.
    public var accessToken: Secret
    /// How to present it, `Bearer` as a rule (RFC 6750).
    public var tokenType: String
    /// The token that renews the session; `nil` when the session ends with its access token.
    public var refreshToken: Secret?
    /// The OpenID Connect ID token as it was received.
    public var idToken: Secret?
    /// The granted scopes; empty when the backend has no such notion.
    public var scopes: Set<String>
    /// When the access token was issued, on this machine's clock.
    public var issuedAt: Date
    /// When the access token expires, on this machine's clock; `nil` when the backend did not say.
    public var expiresAt: Date?
    /// When the user signed in, on this machine's clock.
    public var signedInAt: Date
    /// The base URL of the backend that issued the tokens. They are sent nowhere else, whatever a later configuration
    /// says.
    public var backend: String
    /// The OAuth client the tokens were issued to.
    public var clientID: String?
    /// What else the provider wants to remember about the session.
    public var details: [String: JSONValue]

    /// A credential.
    public init(
        accessToken: Secret, tokenType: String = "Bearer", refreshToken: Secret? = nil, idToken: Secret? = nil,
        scopes: Set<String> = [], issuedAt: Date, expiresAt: Date?, signedInAt: Date, backend: String,
        clientID: String? = nil, details: [String: JSONValue] = [:]
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scopes = scopes
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.signedInAt = signedInAt
        self.backend = backend
        self.clientID = clientID
        self.details = details
    }

    /// Whether the access token can still be used at `date`.
    public func isValid(at date: Date) -> Bool {
        guard let expiresAt else { return true }
        return date < expiresAt
    }

    /// Whether the access token should be renewed at `date`: in its last minute, or in the last tenth of a short life,
    /// so that it does not expire on its way to a server.
    public func isDueForRenewal(at date: Date) -> Bool {
        guard let expiresAt else { return false }
        let margin = min(60, max(0, expiresAt.timeIntervalSince(issuedAt)) / 10)
        return date >= expiresAt - margin
    }
}
