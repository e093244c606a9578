import Foundation
import IdentityKit

extension SettingsReader {
    /// Reads the setting `endpoints`, whose members are named as in the server's metadata; empty without the setting.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    package func endpoints(
        _ security: TransportSecurity
    ) throws -> [ServerEndpoint: URL] {
        try objectIfPresent(
            "endpoints", means: "The addresses of endpoints that the server announces wrongly or not at all.",
            example: ["token_endpoint": "https://id.example.com/token"], default: [:]
        ) { settings in
            try ServerEndpoint.allCases.reduce(into: [:]) { endpoints, endpoint in
                let (meaning, path) = endpoint.described
                endpoints[endpoint] = try settings.readIfPresent(
                    endpoint.rawValue, .https(security), means: meaning,
                    example: .string("https://id.example.com/\(path)"))
            }
        } ?? [:]
    }
}

extension ServerEndpoint {
    /// The purpose of the endpoint, and an example path, for the settings reference.
    fileprivate var described: (meaning: String, path: String) {
        switch self {
        case .authorization: ("Where people sign in with the browser.", "authorize")
        case .token: ("Where tokens are exchanged and refreshed.", "token")
        case .deviceAuthorization: ("Where a sign-in on another device begins.", "device")
        case .endSession: ("Where the browser signs out.", "logout")
        case .introspection: ("Where the server says what a token is.", "introspect")
        case .jwks: ("Where the server's public keys are.", "keys")
        case .pushedAuthorizationRequest: ("Where authorization requests are pushed.", "par")
        case .registration: ("Where clients register themselves.", "register")
        case .revocation: ("Where a sign-out revokes tokens.", "revoke")
        case .userinfo: ("Where the server says who has signed in.", "userinfo")
        }
    }
}
