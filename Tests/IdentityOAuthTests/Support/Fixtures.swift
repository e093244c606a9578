import Foundation
import IdentityKit
import IdentityOAuth
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP response as a transport returns it.
func httpResponse(
    _ body: String, status: Int = 200, contentType: String? = "application/json", headers: [String: String] = [:],
    url: String = "https://id.example/token"
) throws -> (Data, HTTPURLResponse) {
    var fields = headers
    if let contentType { fields["Content-Type"] = contentType }
    let address = try #require(URL(string: url))
    let response = try #require(
        HTTPURLResponse(url: address, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
    return (Data(body.utf8), response)
}

/// The fields of a form request.
func formFields(_ request: URLRequest) throws -> [FormField] {
    try #require(FormEncoding.decode(String(decoding: request.httpBody ?? Data(), as: UTF8.self)))
}

extension [FormField] {
    /// The value of `name`; `nil` unless it occurs exactly once.
    func only(_ name: String) -> String? {
        let matches = filter { $0.name == name }
        return matches.count == 1 ? matches[0].value : nil
    }
}

extension URL {
    /// A URL that must be valid.
    static func known(_ text: String) throws -> URL {
        try #require(URL(string: text))
    }
}

/// Responds from a table of addresses; everything else is a 404.
struct TableTransport: HTTPTransport {
    let bodies: [String: String]

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let url = request.url?.absoluteString ?? ""
        guard let body = bodies[url] else { return try httpResponse("", status: 404, contentType: nil, url: url) }
        return try httpResponse(body, url: url)
    }
}

/// Runs `body` and expects an ``/IdentityCore/IdentityFailure`` with `code`.
func expectFailure(
    _ code: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
) {
    do {
        let value = try body()
        Issue.record("expected \(code), got \(value)", sourceLocation: sourceLocation)
    } catch let failure as any IdentityFailure {
        #expect(failure.failureCode == code, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}

extension Error {
    /// The code of an ``/IdentityCore/IdentityFailure``; empty for other errors.
    var identityFailureCode: String { (self as? any IdentityFailure)?.failureCode ?? "" }
}
