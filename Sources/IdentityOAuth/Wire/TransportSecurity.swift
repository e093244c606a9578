import Foundation
import IdentityKit

/// Which endpoints may be spoken to. Tokens and codes travel over TLS, always; a server on this very machine, as in
/// development and tests, may be reached over plain `http` when that is asked for.
public enum TransportSecurity: String, Sendable, Codable, CaseIterable {
    case httpsOnly
    /// `https`, and `http` for `localhost`, `127.0.0.0/8` and `[::1]`.
    case loopbackHTTPAllowed

    /// The setting `allowsLoopbackHTTP` of a configuration.
    package init(allowsLoopbackHTTP: Bool) { self = allowsLoopbackHTTP ? .loopbackHTTPAllowed : .httpsOnly }

    /// Whether a request may go to `url`.
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
    /// Whether the host is this machine.
    var isLoopback: Bool { host.map(ServerURL.isLoopback) ?? false }
}
