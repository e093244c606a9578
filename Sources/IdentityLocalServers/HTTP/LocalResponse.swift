import Foundation
import IdentityKit

/// A response that a local server sends, from its handler or from a ``Fault``.
public struct LocalResponse: Sendable {
    public var status: Int
    /// The header fields in order. The server adds `Content-Length`, unless it sends the body in chunks.
    public var headers: [(name: String, value: String)]
    public var body: Data
    /// Trailer fields after the body, which is then sent in chunks (RFC 9112 section 7.1.2).
    package var trailers: [(name: String, value: String)] = []
    /// Whether the body is sent repeatedly until the client closes the connection.
    public var isEndless = false
    /// Called once after the response has been sent or sending it has failed. Not called for an endless body, or if a fault
    /// discards the response.
    public var whenSent: (@Sendable () -> Void)?
    /// The alert of an HTML page; `nil` for a page without an alert and for any other response. The request log shows the alert
    /// as the reason of a refusal. For any other response, the log reads the reason from the content.
    var reason: String?

    public init(status: Int, headers: [(name: String, value: String)] = [], body: Data = Data()) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// A response with a JSON document. Its members are sorted, so that equal values give equal bytes.
    public static func json(
        _ value: JSONValue, status: Int = 200, contentType: String = "application/json",
        headers: [(name: String, value: String)] = []
    ) -> LocalResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding fails only for a number that is infinite or not a number.
        let body = (try? encoder.encode(value)) ?? Data()
        return LocalResponse(status: status, headers: [("Content-Type", contentType)] + headers, body: body)
    }

    /// A response with the media type `text/plain`, encoded in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> LocalResponse {
        LocalResponse(status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: Data(text.utf8))
    }

    /// A response with the media type `text/html`, encoded in UTF-8, without any security headers.
    public static func html(_ page: String, status: Int = 200) -> LocalResponse {
        LocalResponse(status: status, headers: [("Content-Type", "text/html; charset=utf-8")], body: Data(page.utf8))
    }

    /// A redirect with the status `302 Found` (RFC 9110 section 15.4.3).
    public static func redirect(to location: String) -> LocalResponse {
        LocalResponse(status: 302, headers: [("Location", location)])
    }

    /// A redirect with the status `303 See Other`, after which a browser sends `GET`. No cache may store the response.
    static func seeOther(_ location: String) -> LocalResponse {
        LocalResponse(status: 303, headers: [("Location", location), ("Cache-Control", "no-store")])
    }

    /// A response with a JSON document that no cache may store (RFC 6749 section 5.1).
    static func uncachedJSON(_ value: JSONValue) -> LocalResponse {
        .json(value, headers: [("Cache-Control", "no-store"), ("Pragma", "no-cache")])
    }

    /// Returns a copy with an additional header field. Fields of the same name stay.
    public func with(header name: String, _ value: String) -> LocalResponse {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }
}
