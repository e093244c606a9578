#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

/// A request in the form that libcurl takes. The initializer refuses a method or a header field that a server could
/// read as the start of a second request.
struct CurlRequest: Sendable {
    let url: URL
    private let method: String
    private let fields: [String]
    private let body: Data?
    /// Whether to use a new connection and close it afterwards, as `Connection: close` asks (RFC 9112 section 9.6).
    let isAlone: Bool

    /// Checks and converts `request`.
    /// - Throws: ``TransportError/notSent(host:detail:)`` for an address that is not `http` or `https` or has no host,
    ///   an invalid method or header field, or a body that cannot be read.
    init(_ request: URLRequest, host: String) throws(TransportError) {
        func refuse(_ detail: String) -> TransportError { .notSent(host: host, detail: detail) }
        guard let url = request.url, ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
        else { throw refuse("its address is neither http nor https") }
        method = request.httpMethod ?? "GET"
        guard HTTPToken.isToken(method) else { throw refuse("its method is no word (RFC 9110 section 9.1)") }
        var given = request.allHTTPHeaderFields ?? [:]
        for (name, value) in given {
            guard HTTPToken.isToken(name), !value.unicodeScalars.contains(where: { ["\r", "\n", "\0"].contains($0) })
            else {
                throw refuse("a header field contains a line break, or its name is no word")
            }
        }
        func has(_ name: String) -> Bool { given.keys.contains { $0.lowercased() == name } }
        if !has("user-agent") { given["User-Agent"] = "swift-identity" }
        isAlone = request.hasOwnConnection
        var body = request.httpBody
        if body == nil, let stream = request.httpBodyStream {
            body = Self.read(stream)
            if body == nil { throw refuse("its body cannot be read") }
        }
        // Remove a given `Content-Length`, so that libcurl adds the length of the body. With a wrong length, a server could
        // read the body as a second request. Keep a length of zero if there is no body, because some servers require it.
        given = given.filter { $0.key.lowercased() != "content-length" || body == nil && $0.value == "0" }
        // A name without a value removes a field that libcurl would add by itself. With `Expect`, libcurl would wait
        // for an interim response. With the `Content-Type` of libcurl, the body of every POST would be declared a form.
        let removed = ["Expect:"] + (has("content-type") ? [] : ["Content-Type:"])
        // libcurl sends a field with an empty value when its name ends with a semicolon.
        fields = removed + given.map { $1.isEmpty ? "\($0);" : "\($0): \($1)" }
        (self.url, self.body) = (url, body)
    }

    /// Sets the options of libcurl for the address, the method, the header fields, the body and the connection.
    /// - Returns: the list of header fields, which must live as long as the request.
    func prepare(_ request: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        CurlOption.url.set(url.absoluteString, of: request)
        if let body {
            _ = body.withUnsafeBytes { identity_curl_request_set_body(request, $0.baseAddress, $0.count) }
            if method != "POST" { CurlOption.method.set(method, of: request) }
        } else if method == "POST" {
            _ = identity_curl_request_set_body(request, nil, 0)
        } else if method == "HEAD" {
            CurlOption.hasNoBody.set(1, of: request)
        } else if method != "GET" {
            CurlOption.method.set(method, of: request)
        }
        if isAlone {
            CurlOption.needsNewConnection.set(1, of: request)
            CurlOption.closesConnection.set(1, of: request)
        }
        return CurlOption.fields.set(fields, of: request)
    }

    /// Reads a stream to its end.
    /// - Returns: `nil` when reading fails.
    private static func read(_ stream: InputStream) -> Data? {
        stream.open()
        defer { stream.close() }
        var data = Data(), part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = stream.read(&part, maxLength: part.count)
            guard count > 0 else { return count == 0 ? data : nil }
            data.append(contentsOf: part[..<count])
        }
    }
}
#endif
