import Foundation
import IdentityKit

/// A request exactly as a local server received it: repeated header fields, query parameters and form fields are kept,
/// because servers treat repetition as an error.
public struct LocalRequest: Sendable {
    /// The request method as sent, such as `GET`.
    public let method: String
    /// The path and the query as they were sent.
    public let target: String
    /// The path without the query, percent-decoded unless the encoding is invalid.
    public let path: String
    /// The query's parameters in order, form-decoded (`+` is a space).
    public let query: [Parameter]
    /// The header fields in order.
    public let headers: [Parameter]
    public let body: Data
    /// The address of the server's page in the dashboard; `nil` if no dashboard runs.
    var dashboard: String?

    /// A header field, or a parameter of a query or form.
    public struct Parameter: Sendable, Equatable {
        /// The name with the case that the client sent. Names in a query or form are decoded.
        public let name: String
        public let value: String
    }

    init(method: String, target: String, headers: [Parameter], body: Data) {
        self.method = method
        self.target = target
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let rawPath = parts.first.map(String.init) ?? "/"
        path = rawPath.removingPercentEncoding ?? rawPath
        query = parts.count == 2 ? Self.decodeForm(String(parts[1])) : []
        self.headers = headers
        self.body = body
    }

    /// The first value of the header field `name`; `nil` if the request lacks it. The case of the name is ignored.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }

    func cookies(_ name: String) -> [String] {
        let sent = headers.filter { $0.name.caseInsensitiveCompare("Cookie") == .orderedSame }
        let pairs = sent.flatMap { $0.value.split(separator: ";") }.map { $0.trimmingCharacters(in: .whitespaces) }
        return pairs.filter { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// Whether `Host` is missing, or names 127.0.0.1, `localhost` or the host of `address`, with any port. The owner of a
    /// web page can make any other name resolve to this machine (DNS rebinding).
    func isMeant(for address: String) -> Bool {
        guard let name = header("Host").flatMap({ URL(string: "http://\($0)")?.host }) else {
            return header("Host") == nil
        }
        let names = ["127.0.0.1", "localhost", URL(string: address)?.host?.lowercased()]
        return names.contains(name.lowercased())
    }

    /// Whether `Host` is 127.0.0.1 or `localhost` with `port`. The owner of a web page can make any other name resolve to
    /// this machine (DNS rebinding).
    func isMeantForLoopback(port: Int?) -> Bool {
        guard let port, let host = header("Host") else { return false }
        let names = ["127.0.0.1", "localhost"]
        // Browsers leave out port 80.
        return names.contains { host == "\($0):\(port)" || (port == 80 && host == $0) }
    }

    /// The first value of the query parameter `name`; `nil` if the query lacks it.
    public func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The body's form fields; `nil` unless the content type is `application/x-www-form-urlencoded`.
    public var form: [Parameter]? {
        guard contentType == "application/x-www-form-urlencoded" else { return nil }
        return Self.decodeForm(String(decoding: body, as: UTF8.self))
    }

    func formValue(_ name: String) -> String? { form?.first { $0.name == name }?.value }

    /// The body as JSON, whatever the content type; `nil` when the body is not JSON.
    public var json: JSONValue? { try? JSONValue(parsing: body) }

    /// The media type of the body without parameters, in lower case; `nil` if the request names none.
    public var contentType: String? {
        header("Content-Type")?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The token of `Authorization: Bearer …` (RFC 6750 section 2.1); `nil` for any other scheme. The comparison of the
    /// scheme is case-sensitive.
    public var bearerToken: String? {
        guard let value = header("Authorization"), value.hasPrefix("Bearer ") else { return nil }
        return String(value.dropFirst("Bearer ".count))
    }

    static func decodeForm(_ text: String) -> [Parameter] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { part in
                let spaced = part.replacingOccurrences(of: "+", with: " ")
                return spaced.removingPercentEncoding ?? spaced
            }
            return Parameter(name: decoded[0], value: decoded.count == 2 ? decoded[1] : "")
        }
    }

    /// Encodes `application/x-www-form-urlencoded` text: a space becomes `+`, and everything but letters, digits and
    /// `unreserved` is percent-encoded.
    static func encodeForm(_ parameters: [(name: String, value: String)], unreserved: String = "-_.~") -> String {
        func encoded(_ text: String) -> String {
            text.utf8.map { byte in
                let character = Character(UnicodeScalar(byte))
                let isPlain = character.isASCII && (character.isLetter || character.isNumber)
                if isPlain || unreserved.contains(character) { return String(character) }
                return byte == UInt8(ascii: " ") ? "+" : "%" + LocalIdentifiers.hex([byte]).uppercased()
            }.joined()
        }
        return parameters.map { encoded($0.name) + "=" + encoded($0.value) }.joined(separator: "&")
    }
}

extension String {
    func appendingQuery(_ query: String) -> String { self + (contains("?") ? "&" : "?") + query }
}
