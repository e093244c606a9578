import Foundation
import IdentityKit

/// A response of a local server.
public struct LocalResponse: Sendable {
    public var status: Int
    /// The header fields in order; `Content-Length` is added by the server.
    public var headers: [(name: String, value: String)]
    public var body: Data
    /// The fields after the body, which is then sent in chunks (RFC 9112 section 7.1.2).
    package var trailers: [(name: String, value: String)] = []
    /// Whether the body is sent again and again until the client leaves.
    public var isEndless = false
    /// Called once when the response was sent, or cannot be sent any more.
    public var whenSent: (@Sendable () -> Void)?
    /// Why the request was refused, where a page says so in its own way.
    var reason: String?

    public init(status: Int, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// A JSON document with sorted members, so that responses compare byte for byte.
    public static func json(
        _ value: JSONValue, status: Int = 200, contentType: String = "application/json",
        headers: [(name: String, value: String)] = []
    ) -> LocalResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A JSON value built in memory always encodes, except for a NaN.
        let body = (try? encoder.encode(value)) ?? Data()
        return LocalResponse(status: status, headers: [("Content-Type", contentType)] + headers, body: body)
    }

    /// Plain text.
    public static func text(_ text: String, status: Int = 200) -> LocalResponse {
        LocalResponse(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Data(text.utf8))
    }

    /// An HTML page.
    public static func html(_ page: String, status: Int = 200) -> LocalResponse {
        LocalResponse(status: status, headers: [("Content-Type", "text/html; charset=utf-8")], body: Data(page.utf8))
    }

    /// `302 Found`.
    public static func redirect(to location: String) -> LocalResponse {
        LocalResponse(status: 302, headers: [("Location", location)])
    }

    /// `303 See Other`: leads a browser on, to an address that no cache may keep.
    static func seeOther(_ location: String) -> LocalResponse {
        LocalResponse(status: 303, headers: [("Location", location), ("Cache-Control", "no-store")])
    }

    /// A JSON document that no cache may keep (RFC 6749 section 5.1).
    static func uncachedJSON(_ value: JSONValue) -> LocalResponse {
        .json(value, headers: [("Cache-Control", "no-store"), ("Pragma", "no-cache")])
    }

    /// Adds a header field.
    public func with(header name: String, _ value: String) -> LocalResponse {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }
}
