import IdentityKit

/// A token whose signature by this server has been verified.
struct VerifiedToken: Sendable {
    /// The header's media type.
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
    /// The user's identifier, even if the token's subject is the client.
    var userID: String { string("access_token_sub") ?? subject }
    var familyID: String? { string("tfid") }
    var expiresAt: Int64 { claims["exp"]?.integerValue ?? 0 }
    var issuedAt: Int64 { claims["iat"]?.integerValue ?? 0 }
    var scopes: [String] { (string("scope") ?? "").split(separator: " ").map(String.init) }

    /// The resource server that the token is for; `nil` if it is for the client itself.
    var resource: String? {
        let audience = isRefreshToken ? claims["access_token_aud"]?.arrayValue?.first?.stringValue : string("aud")
        guard isRefreshToken || isAccessToken, audience != clientID else { return nil }
        return audience
    }

    /// Whether the token is an access token (RFC 9068).
    var isAccessToken: Bool { typ == "at+jwt" }
    /// Whether the token is a refresh token, which has claims about the access token.
    var isRefreshToken: Bool { claims["access_token_sub"] != nil }
    /// Whether the token is an assertion, which has claims about the authentication.
    var isAssertion: Bool { claims["assurance"] != nil }

    var clientID: String? { isRefreshToken ? subject : string("client_id") ?? string("aud") }
}
