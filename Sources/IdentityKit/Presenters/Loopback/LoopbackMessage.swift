import Foundation

/// An HTTP request to a loopback address. Any program may have sent it, so no value in it can be trusted.
struct LoopbackRequest: Sendable {
    let method: String
    /// The path and the query, as they were sent.
    let target: String
    let headers: [(name: String, value: String)]
    var body = Data()

    /// The path without the query, percent-decoded; unchanged when it cannot be decoded.
    var path: String {
        let path = String(target.prefix { $0 != "?" })
        return path.removingPercentEncoding ?? path
    }

    /// The query, as it was sent; empty when there is none.
    var query: String { String(target.drop { $0 != "?" }.dropFirst()) }

    func values(of name: String) -> [String] {
        headers.filter { $0.name.caseInsensitiveCompare(name) == .orderedSame }.map(\.value)
    }

    /// Parses the head of a request (RFC 9112 sections 2 to 5), without its final empty line.
    /// - Returns: `nil` when the request line or a header field is malformed.
    init?(head: some Collection<UInt8>) {
        var lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let start = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
        guard start.count == 3, HTTPToken.isToken(start[0]), !start[1].isEmpty,
            ["HTTP/1.0", "HTTP/1.1"].contains(start[2]),
            start[1].utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        var headers: [(name: String, value: String)] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), HTTPToken.isToken(line[..<colon]),
                line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 })
            else { return nil }
            headers.append(
                (String(line[..<colon]), line[colon...].dropFirst().trimmingCharacters(in: [" ", "\t"])))
        }
        (method, target, self.headers) = (String(start[0]), String(start[1]), headers)
    }
}

extension LoopbackRequest {
    /// Makes the request that a local browser would have sent to the pasted address.
    /// - Returns: `nil` when the text is not an `http` address, or contains a character that a request cannot contain.
    init?(pasted text: String) {
        let address = text.trimmingCharacters(in: .whitespaces)
        guard let parts = address.wholeMatch(of: #/(?i:http):\/\/([^\/?#]+)([^#]*)(?:#.*)?/#) else { return nil }
        let target = parts.2.hasPrefix("/") ? String(parts.2) : "/" + parts.2
        self.init(head: Data("GET \(target) HTTP/1.1\r\nHost: \(parts.1)".utf8))
    }
}

struct LoopbackResponse: Sendable {
    let status: Int
    var headers: [(String, String)] = []
    var body = Data()
    /// Called once when the response has been sent or can no longer be sent.
    var whenSent: (@Sendable () -> Void)?

    func bytes(withBody: Bool) -> Data {
        let fields = headers + [("Content-Length", "\(body.count)"), ("Connection", "close")]
        let head =
            "HTTP/1.1 \(status) \(Self.reasons[status] ?? "")\r\n"
            + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        return Data(head.utf8) + (withBody ? body : Data())
    }

    private static let reasons = [
        200: "OK", 400: "Bad Request", 404: "Not Found", 411: "Length Required", 413: "Content Too Large",
    ]
}
