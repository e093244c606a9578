/// Why a userinfo response must not be used (OpenID Connect Core sections 5.3.2 and 5.3.4).
public enum InvalidUserInfoReason: Sendable, Equatable {
    /// The `sub` is missing or is not the one of the ID token.
    case subjectMismatch
    /// A server's own account document identifies nobody: the member is missing, or is neither a text of at most 255
    /// bytes nor a whole number.
    case missingIdentifier(member: String)
    /// The response was signed by another issuer.
    case issuerMismatch
    /// The response was signed for another client.
    case audienceMismatch
    /// The signed response declares itself to be of another kind, such as `at+jwt` (RFC 8725 section 3.11).
    case wrongType(String)
}

extension InvalidUserInfoReason: ErrorReason {
    var code: String {
        switch self {
        case .subjectMismatch: "userinfo_sub_mismatch"
        case .missingIdentifier: "userinfo_missing_identifier"
        case .issuerMismatch: "userinfo_iss_mismatch"
        case .audienceMismatch: "userinfo_aud_mismatch"
        case .wrongType: "userinfo_wrong_type"
        }
    }

    var message: String {
        switch self {
        case .subjectMismatch: "The claims are about another person than the one who signed in. They were refused."
        case .missingIdentifier(let member):
            "The server did not say who signed in: its response has no usable member \(sanitized(member)). It was refused."
        case .issuerMismatch: "The claims come from another server. They were refused."
        case .audienceMismatch: "The claims are meant for another client. They were refused."
        case .wrongType(let type):
            "The response is a token of the type \(sanitized(type)) and no user info. It was refused."
        }
    }
}
