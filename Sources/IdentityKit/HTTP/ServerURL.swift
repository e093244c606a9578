import Foundation

/// The base URL of a backend: absolute, `https`, and without credentials, query or fragment. Plain `http` is accepted only
/// for loopback hosts, and only when that is allowed.
public struct ServerURL: Sendable, Hashable {
    /// The normalized URL: scheme and host in lower case, no port 443 for `https`, no trailing slash.
    public let url: URL

    /// Checks and normalizes a base URL.
    /// - Parameters:
    ///   - text: the URL. White space around it is ignored.
    ///   - allowsLoopbackHTTP: whether to accept `http` for `127.0.0.0/8`, `[::1]` and `localhost`.
    /// - Throws: an error whose code begins with `base_url_`, such as `base_url_insecure` for plain `http` to another
    ///   machine.
    public init(_ text: String, allowsLoopbackHTTP: Bool = false) throws {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { throw ServerURLError.empty }
        guard var components = URLComponents(string: trimmed), let scheme = components.scheme?.lowercased(),
            let host = components.host?.lowercased(), !host.isEmpty
        else {
            // A text such as `name:password@host` has no host, and the error must not show its password.
            throw trimmed.contains("@") ? ServerURLError.containsCredentials : .notAbsolute(trimmed)
        }
        guard components.user == nil, components.password == nil else { throw ServerURLError.containsCredentials }
        guard components.query == nil, components.fragment == nil else {
            throw ServerURLError.containsQueryOrFragment
        }
        switch scheme {
        case "https":
            break
        case "http" where Self.isLoopback(host):
            guard allowsLoopbackHTTP else { throw ServerURLError.loopbackHTTPNotAllowed(trimmed) }
        default:
            throw ServerURLError.insecure(trimmed)
        }
        if let port = components.port, !Self.ports.contains(port) { throw ServerURLError.noPort(port) }
        // Normalize, because two spellings of an address are the same backend with the same sessions (RFC 3986 section
        // 6.2.2.1).
        components.scheme = scheme
        components.percentEncodedHost = components.percentEncodedHost?.lowercased()
        if scheme == "https", components.port == 443 { components.port = nil }
        while components.path.hasSuffix("/") { components.path.removeLast() }
        guard let url = components.url else { throw ServerURLError.notAbsolute(trimmed) }
        self.url = url
    }

    static let ports = 1...65_535

    /// Returns the URL of `path` below this base URL. The base URL's own path comes first.
    /// - Parameter path: the path without a leading slash, not percent-encoded: a `%` becomes `%25`.
    package func appending(_ path: String) -> URL {
        url.appendingPathComponent(path)
    }

    /// Whether `host` is `localhost`, `::1` or in `127.0.0.0/8` (RFC 8252 section 7.3, RFC 6761 section 6.3).
    package static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { (48...57).contains($0) } }
    }
}

extension ServerURL: CustomStringConvertible {
    public var description: String { url.absoluteString }
}

/// Why a text is not an acceptable base URL.
package enum ServerURLError: StatedFailure, Equatable {
    case empty
    /// The text is not a URL, or has no scheme or no host.
    case notAbsolute(String)
    /// The address has a scheme other than `https`, and is not plain `http` to this machine.
    case insecure(String)
    /// The address is plain `http` to this machine, and `allowsLoopbackHTTP` is `false`.
    case loopbackHTTPNotAllowed(String)
    /// The address contains a user name or a password, or it contains `@` and has no scheme or no host.
    case containsCredentials
    case containsQueryOrFragment
    /// The port is no number from 1 to 65535.
    case noPort(Int)

    package var facts: FailureFacts {
        switch self {
        case .empty:
            .definitive(
                "base_url_empty",
                "The base URL is empty. Write the address of the backend, such as https://id.example.com.")
        case .notAbsolute(let text):
            .definitive(
                "base_url_not_absolute",
                "\"\(text)\" is not an absolute URL. Write the scheme and the host, such as https://id.example.com.")
        case .insecure(let text):
            .definitive(
                "base_url_insecure",
                "\"\(text)\" does not use https. Tokens are never sent in the clear; use an https address.")
        case .loopbackHTTPNotAllowed(let text):
            .definitive(
                "base_url_loopback_http",
                "\"\(text)\" is plain http to this machine. Set allowsLoopbackHTTP to use it for development.")
        case .containsCredentials:
            .definitive(
                "base_url_has_credentials",
                "The base URL contains a user name or a password. Remove them; secrets have settings of their own.")
        case .containsQueryOrFragment:
            .definitive("base_url_has_query", "The base URL has a query or a fragment. Write it without.")
        case .noPort(let port): .definitive("base_url_no_port", "\(port) is no port. Ports go from 1 to 65535.")
        }
    }
}
