import IdentityKit

/// The reason why a server's metadata cannot be used.
public enum InvalidMetadataReason: Sendable, Equatable {
    /// The `issuer` of the document differs from the expected one (OpenID Connect Discovery section 4.3, RFC 8414
    /// section 3.3). The comparison is byte for byte. A slash at the end is a difference too, except for an issuer that a
    /// resource names.
    case issuerMismatch(expected: String, received: String)
    /// An endpoint is neither an `https` URL nor, where the settings allow that, an `http` URL on this machine.
    case insecureEndpoint(member: String)
    /// An endpoint is not a string, or not a URL with a host.
    case invalidEndpoint(member: String)
    /// The operation needs an endpoint that the server does not have, or the metadata has no `issuer`.
    case missingEndpoint(member: String)
    /// The `code_challenge_methods_supported` of the server lack `S256` (RFC 8414 section 2), or are absent although the
    /// settings require them.
    case missingCodeChallengeMethod
    /// None of the addresses has a metadata document. Transient if the server failed at one of them, or asked to wait.
    case notFound([MetadataPlace])
}

extension InvalidMetadataReason: ErrorReason {
    var code: String {
        switch self {
        case .issuerMismatch: "metadata_issuer_mismatch"
        case .insecureEndpoint: "metadata_insecure_endpoint"
        case .invalidEndpoint: "metadata_invalid_endpoint"
        case .missingEndpoint: "metadata_missing_endpoint"
        case .missingCodeChallengeMethod: "metadata_missing_code_challenge_method"
        case .notFound: "metadata_not_found"
        }
    }

    var failureClass: FailureClass {
        if case .notFound(let places) = self { places.failureClass } else { .definitive }
    }

    var message: String {
        switch self {
        case .issuerMismatch(_, let received) where received.contains("{tenantid}"):
            "This document of Microsoft Entra is for all directories. Configure one with the type entra, or several with "
                + "entra-multitenant."
        case .issuerMismatch(let expected, let received):
            "The server calls itself \(sanitized(received)), and \(sanitized(expected)) is configured. "
                + "Set the issuer to exactly what the server says if you trust it."
        case .insecureEndpoint(let member): "The server's \(member) is not an https address. It was refused."
        case .invalidEndpoint(let member): "The server's \(member) is not an absolute URL."
        case .missingEndpoint("pushed_authorization_request_endpoint"):
            "The server takes no pushed requests. Leave pushesAuthorizationRequests out."
        case .missingEndpoint("issuer"): "The server's metadata has no issuer."
        case .missingEndpoint(let member): "The server has no \(member), so it does not support this operation."
        case .missingCodeChallengeMethod:
            "The server takes no code challenge of the method S256, which keeps a stolen code from being used."
        case .notFound(let places):
            "The server's metadata is not at \(places.text). "
                + places.advice("Check the issuer, or name the server's endpoints.")
        }
    }
}
