import Foundation

/// Which endpoints may be spoken to. Tokens and codes travel over TLS, always; a server on this very machine, as in
/// development and tests, may be reached over plain `http` when that is asked for.
public enum TransportSecurity: String, Sendable, Codable, CaseIterable {
    /// `https` only.
    case httpsOnly
    /// `https`, and `http` for `localhost`, `127.0.0.0/8` and `[::1]`.
    case loopbackHTTPAllowed

    /// Whether a request may go to `url`.
    public func allows(_ url: URL) -> Bool {
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
    /// Whether the host is this machine by name or by address (RFC 8252 section 7.3, RFC 6761 section 6.3).
    var isLoopback: Bool {
        guard let host = host?.lowercased() else { return false }
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
