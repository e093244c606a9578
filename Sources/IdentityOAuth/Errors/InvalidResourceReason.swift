import Foundation
import IdentityKit

/// The reason why a protected resource cannot be used (RFC 9728).
public enum InvalidResourceReason: Sendable, Equatable {
    /// The resource has no metadata at any of the addresses, so its authorization server is unknown. Transient if the
    /// resource's server failed at one of the addresses, or asked to wait.
    case notDescribed(host: String, places: [MetadataPlace])
    /// The `resource` of the metadata differs from the expected one (RFC 9728 section 3.3).
    case otherResource(expected: String, received: String)
    /// The metadata lacks `resource`, or names no server in `authorization_servers`.
    case missingMember(String)
    /// The resource's response names an address of its metadata that is not an `https` URL. An `http` URL on this
    /// machine is accepted if the settings allow it.
    case insecureMetadata
    /// The `bearer_methods_supported` of the metadata lack `header`. This library sends tokens only in the `Authorization`
    /// header, because a token in the query would stay in the browser's history (RFC 9700 section 4.3.2).
    case noUsableMethod
    /// The metadata does not list the configured authorization server in `authorization_servers`.
    case otherAuthorizationServer(String)
    /// The resource names another authorization server than at the last sign-in, and no person can be asked to confirm the
    /// change. The values are the hosts of the resource, of the former server and of the new server.
    case serverChanged(resource: String, from: String, to: String)
    /// The URL of the request is outside of the resource that the token is for.
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

    /// Creates the reason for a resource that names `issuer` instead of `former`, with each address reduced to its host.
    static func serverChanged(at resource: URL, from former: String, to issuer: String) -> InvalidResourceReason {
        .serverChanged(
            resource: resource.absoluteString.hostAlone, from: former.hostAlone, to: issuer.hostAlone)
    }

    /// The question whether to sign in at the new server. For every other reason than a change, the same as ``message``.
    var question: String {
        guard case .serverChanged(let resource, let from, let to) = self else { return message }
        return "\(resource) sends you to \(to) to sign in, and it was \(from) before."
    }
}
