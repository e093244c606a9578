import Foundation
import IdentityKit

/// A response of a local server.
public struct LocalResponse: Sendable {
    public var status: Int
    /// The header fields in order; `Content-Length` is added by the server.
    public var headers: [(name: String, value: String)]
    public var body: Data
    /// Trailer fields after the body, which is then sent in chunks (RFC 9112 section 7.1.2).
    package var trailers: [(name: String, value: String)] = []
    /// Whether the body is sent repeatedly until the client closes the connection.
    public var isEndless = false
    /// Called once after the response has been sent, or cannot be sent any more.
    public var whenSent: (@Sendable () -> Void)?
    /// The reason of a refusal, for a page that states it in its own form.
    var reason: String?

    public init(status: Int, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// A JSON document with sorted members, so that equal values give equal bytes.
    public static func json(
        _ value: JSONValue, status: Int = 200, contentType: String = "application/json",
        headers: [(name: String, value: String)] = []
    ) -> LocalResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A JSON value in memory always encodes, unless it contains a NaN.
        let body = (try? encoder.encode(value)) ?? Data()
        return LocalResponse(status: status, headers: [("Content-Type", contentType)] + headers, body: body)
    }

    /// `text/plain` in UTF-8.
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

    /// `303 See Other`: sends a browser to an address that no cache may store.
    static func seeOther(_ location: String) -> LocalResponse {
        LocalResponse(status: 303, headers: [("Location", location), ("Cache-Control", "no-store")])
    }

    /// A JSON document that no cache may store (RFC 6749 section 5.1).
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
