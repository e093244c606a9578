/// The reason why a userinfo response must not be used (OpenID Connect Core sections 5.3.2 and 5.3.4).
public enum InvalidUserInfoReason: Sendable, Equatable {
    /// The `sub` is missing, empty or longer than 255 bytes, or is not the one of the ID token. A number is accepted
    /// only if the ID token's `sub` has the same digits. Also for the document of an ``AccountSource`` that is about
    /// another person than the session.
    case subjectMismatch
    /// The document of an ``AccountSource`` identifies nobody: the member is missing, or is neither a text of 1 to 255 bytes
    /// nor a whole number.
    case missingIdentifier(member: String)
    /// The signed response has the `iss` of another issuer.
    case issuerMismatch
    /// The signed response has an `aud` without this client.
    case audienceMismatch
    /// The `typ` of the signed response names another kind of token, such as `at+jwt` (RFC 8725 section 3.11).
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
