import Foundation
import IdentityKit

/// Why a protected resource cannot be used (RFC 9728).
public enum InvalidResourceReason: Sendable, Equatable {
    /// The resource has no metadata, so its authorization server is unknown. Transient if the server failed at one of
    /// the places.
    case notDescribed(host: String, places: [MetadataPlace])
    /// The metadata is about another resource (RFC 9728 section 3.3).
    case otherResource(expected: String, received: String)
    /// A required member is absent.
    case missingMember(String)
    /// The address of the resource's metadata is not safe.
    case insecureMetadata
    /// The resource accepts tokens only in unsafe ways, such as in the query (RFC 9700 section 4.3.2).
    case noUsableMethod
    /// The configured authorization server is not one of the resource's.
    case otherAuthorizationServer(String)
    /// The resource names another authorization server than at the last sign-in, and nobody can confirm the change. The
    /// two are given by host.
    case serverChanged(resource: String, from: String, to: String)
    /// The token is for another resource than the request.
    case requestOutside(host: String)
}

extension InvalidResourceReason: ErrorReason {
    var code: String {
        switch self {
        case .notDescribed: "resource_not_described"
        case .otherResource: "resource_mismatch"
        case .missingMember: "resource_missing_member"
        case .insecureMetadata: "resource_insecure_metadata"
        case .noUsableMethod: "resource_no_usable_method"
        case .otherAuthorizationServer: "resource_other_authorization_server"
        case .serverChanged: Self.codeOfChange
        case .requestOutside: "resource_request_outside"
        }
    }

    var failureClass: FailureClass {
        if case .notDescribed(_, let places) = self { places.failureClass } else { .definitive }
    }

    var message: String {
        switch self {
        case .notDescribed(let host, let places):
            "\(sanitized(host)) does not say who issues tokens for it (RFC 9728), not at \(places.text). "
                + places.advice("Configure its server as \"oauth2\".")
        case .otherResource(let expected, let received):
            "The resource calls itself \(sanitized(received)), and \(sanitized(expected)) is configured. Set it to exactly "
                + "what the resource says if you trust it."
        case .missingMember(let name): "The resource's metadata has no \(name)."
        case .insecureMetadata: "The resource's metadata is not at an https address. It was refused."
        case .noUsableMethod: "The resource takes no token in the Authorization header."
        case .otherAuthorizationServer(let issuer):
            "\(sanitized(issuer)) is configured, and the resource does not name it as an authorization server."
        case .serverChanged(_, let from, _):
            question + " If you trust it, sign out from \(from) first: identity logout"
        case .requestOutside(let host):
            "The token is not for \(sanitized(host)). It was not sent there."
        }
    }

    static let codeOfChange = "resource_server_changed"

    /// The error for a resource that now names another issuer.
    static func serverChanged(at resource: URL, from former: String, to issuer: String) -> InvalidResourceReason {
        .serverChanged(
            resource: resource.absoluteString.hostAlone, from: former.hostAlone, to: issuer.hostAlone)
    }

    /// The question to the person before a sign-in at the new server.
    var question: String {
        guard case .serverChanged(let resource, let from, let to) = self else { return message }
        return "\(resource) sends you to \(to) to sign in, and it was \(from) before."
    }
}
