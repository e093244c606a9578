import Foundation
import IdentityKit
import IdentityOAuth

/// A redirect URI of the app, normalized as browsers do it.
struct RedirectAddress: Sendable, Hashable {
    let url: URL

    /// Parses and normalizes `text`, which must be an absolute URL without user name and password. Plain HTTP is accepted
    /// only for this machine, and schemes such as `javascript` and `file` are refused.
    /// - Throws: ``InsForgeAuthError/invalidInput(_:)``.
    init(_ text: String) throws {
        guard let url = URL(string: text) else { throw Self.unusable }
        try self.init(url)
    }

    /// Checks and normalizes `url` as the initializer for a string does.
    /// - Throws: ``InsForgeAuthError/invalidInput(_:)``.
    init(_ url: URL) throws {
        guard let scheme = url.scheme?.lowercased(), url.user == nil, url.password == nil,
            // A browser would execute URLs with these schemes, or open local files or pages of its own.
            !["javascript", "data", "file", "about", "blob"].contains(scheme)
        else { throw Self.unusable }
        switch (scheme, url.host) {
        case ("https", nil), ("https", ""), ("http", nil): throw Self.unusable
        case ("http", let host?) where !ServerURL.isLoopback(host): throw Self.unusable
        default: self.url = try Self.canonical(url, isWeb: scheme == "https" || scheme == "http")
        }
    }

    /// Returns the redirect URIs to request, in this order, until the server allows one.
    /// - Parameters:
    ///   - state: the flow's `state`.
    ///   - isAdded: whether the query must contain the `state`; `nil` to add it only if the server allows that.
    func candidates(state: String, isAdded: Bool?) -> [URL] {
        switch isAdded {
        case true?: [with(state: state)]
        case false?: [url]
        case nil: [with(state: state), url]
        }
    }

    /// Returns the address with a `state` in its query. The server keeps the query in the callback. If the query
    /// already has a parameter `state`, or cannot be decoded, the added one is named `insforge_state`, because a
    /// callback with a repeated parameter is refused.
    func with(state: String) -> URL {
        let parts = url.absoluteString.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let address = parts.first.map(String.init) ?? ""
        let fragment = parts.count == 2 ? "#" + parts[1] : ""
        let hasState = FormEncoding.decode(url.query ?? "")?.contains { $0.name == "state" } ?? true
        let parameter = (hasState ? "insforge_state=" : "state=") + state
        return URL(string: address + (address.contains("?") ? "&" : "?") + parameter + fragment) ?? url
    }

    /// Returns the address as the server and the browser normalize it (WHATWG URL standard), so that it can be compared
    /// with the callback. Dot segments are removed, and the host of a web address becomes ASCII.
    /// - Throws: ``InsForgeAuthError/invalidInput(_:)``.
    private static func canonical(_ url: URL, isWeb: Bool) throws -> URL {
        let text = url.absoluteString
        let endOfPath = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        guard let colon = text[..<endOfPath].firstIndex(of: ":") else { throw unusable }
        var hierarchy = text[text.index(after: colon)..<endOfPath]
        var authority = ""
        if hierarchy.hasPrefix("//") {
            let rest = hierarchy.dropFirst(2)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            authority = try "//" + (isWeb ? asciiHost(in: rest[..<end]) : String(rest[..<end]))
            hierarchy = rest[end...]
        }
        guard let canonical = URL(string: text[...colon] + authority + withoutDots(hierarchy) + text[endOfPath...])
        else { throw unusable }
        return canonical
    }

    /// Returns `authority` with a percent-encoded host converted to an ASCII domain name. The port is kept, and an
    /// authority without percent-encoding is returned unchanged.
    /// - Throws: ``InsForgeAuthError/invalidInput(_:)``.
    private static func asciiHost(in authority: Substring) throws -> String {
        guard authority.contains("%") else { return String(authority) }
        let port = authority.lastIndex(of: ":").map { authority[$0...] } ?? ""
        guard let name = authority.dropLast(port.count).removingPercentEncoding,
            !name.contains(where: { "/\\?#@:[]%".contains($0) || $0.isWhitespace })
        else { throw unusable }
        var components = URLComponents()
        components.scheme = "https"
        components.host = name.lowercased()
        guard let host = components.url?.host, host.allSatisfy(\.isASCII), !host.contains("%") else { throw unusable }
        return host + port
    }

    /// Returns an absolute path without the segments `.` and `..` (RFC 3986 section 5.2.4), including percent-encoded ones. A
    /// path without a leading slash is returned unchanged.
    private static func withoutDots(_ path: Substring) -> String {
        guard path.hasPrefix("/") else { return String(path) }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var segments: [Substring] = []
        for (index, part) in parts.enumerated() {
            let dots = part.lowercased().replacingOccurrences(of: "%2e", with: ".")
            switch dots {
            case ".", "..":
                if dots == ".." { _ = segments.popLast() }
                if index == parts.count - 1 { segments.append("") }
            default: segments.append(part)
            }
        }
        return "/" + segments.joined(separator: "/")
    }

    private static let unusable = InsForgeAuthError.invalidInput(
        "The redirect address must be absolute, such as yourapp://auth/callback or an https address of the app.")
}
