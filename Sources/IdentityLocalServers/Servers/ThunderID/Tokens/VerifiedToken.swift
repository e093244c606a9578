import IdentityKit

/// A token with a verified signature of this server. It may have expired or been revoked.
struct VerifiedToken: Sendable {
    /// The `typ` of the header: `at+jwt` for an access token, otherwise `JWT`. Empty if the header has none.
    let typ: String
    private let claims: JSONValue

    init(header: JSONValue, claims: JSONValue) {
        typ = header["typ"]?.stringValue ?? ""
        self.claims = claims
    }

    subscript(claim: String) -> JSONValue? { claims[claim] }

    func string(_ claim: String) -> String? { claims[claim]?.stringValue }

    var id: String { string("jti") ?? "" }
    var issuer: String? { string("iss") }
    var subject: String { string("sub") ?? "" }
    /// The user's identifier. A refresh token has it in `access_token_sub`, because its subject is the client.
    var userID: String { string("access_token_sub") ?? subject }
    var familyID: String? { string("tfid") }
    var expiresAt: Int64 { claims["exp"]?.integerValue ?? 0 }
    var issuedAt: Int64 { claims["iat"]?.integerValue ?? 0 }
    var scopes: [String] { (string("scope") ?? "").split(separator: " ").map(String.init) }

    /// The identifier of the resource server that the access token or refresh token is for; `nil` if the token is for the
    /// client itself, or is neither an access token nor a refresh token.
    var resource: String? {
        let audience = isRefreshToken ? claims["access_token_aud"]?.arrayValue?.first?.stringValue : string("aud")
        guard isRefreshToken || isAccessToken, audience != clientID else { return nil }
        return audience
    }

    /// Whether the token is an access token (RFC 9068).
    var isAccessToken: Bool { typ == "at+jwt" }
    /// Whether the token is a refresh token. Only refresh tokens have the claim `access_token_sub`.
    var isRefreshToken: Bool { claims["access_token_sub"] != nil }
    /// Whether the token is an assertion of a flow in which the user authenticated. Assertions of registrations and failures
    /// have no claim `assurance`, so they do not count.
    var isAssertion: Bool { claims["assurance"] != nil }

    /// Whether the token is none of the other kinds, so that it counts as an ID token. An ID token has no mark of its own.
    var isIDToken: Bool { !isAccessToken && !isRefreshToken && !isAssertion }

    var clientID: String? { isRefreshToken ? subject : string("client_id") ?? string("aud") }
}
