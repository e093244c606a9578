import Foundation
import IdentityKit

/// The URL schemes of the endpoints to which requests may be sent. Tokens and authorization codes travel over TLS. Only
/// `http` to this machine can be allowed too, for development and tests.
public enum TransportSecurity: String, Sendable, Codable, CaseIterable {
    case httpsOnly
    /// `https`, and `http` for `localhost`, `127.0.0.0/8` and `[::1]`.
    case loopbackHTTPAllowed

    /// Creates the value for the setting `allowsLoopbackHTTP` of a provider's configuration.
    package init(allowsLoopbackHTTP: Bool) { self = allowsLoopbackHTTP ? .loopbackHTTPAllowed : .httpsOnly }

    /// Returns whether a request may go to `url`, which must have a host.
    package func allows(_ url: URL) -> Bool {
        guard let host = url.host, !host.isEmpty else { return false }
        switch url.scheme?.lowercased() {
        case "https": return true
        case "http": return self == .loopbackHTTPAllowed && url.isLoopback
        default: return false
        }
    }

    func require(_ url: URL) throws {
        guard allows(url) else {
            throw OAuthError.invalidSetting(.insecureEndpoint(host: url.host ?? "the endpoint"))
        }
    }
}

extension URL {
    /// Whether the host is `localhost`, `[::1]` or an address in `127.0.0.0/8`. Other names are not resolved.
    var isLoopback: Bool { host.map(ServerURL.isLoopback) ?? false }
}
