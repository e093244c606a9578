import Foundation
import IdentityKit
import IdentityOAuth

/// A line about a request and its outcome, without secrets: no header field, no query value, and of the body only error codes.
struct ExchangeLine: CustomStringConvertible {
    let description: String
    /// The server's time at the response: its `Date`, plus the `Age` that a cache adds to it (RFC 9111 section 5.1). `nil`
    /// without a response or without a valid `Date`.
    private(set) var serverDate: Date?

    init(_ request: URLRequest, _ response: HTTPURLResponse, _ body: Data, after duration: Duration) {
        let codes = Self.errorCodes(in: body, status: response.statusCode)
        let outcome = (["\(response.statusCode)"] + codes).joined(separator: " ")
        description = "\(Self.requestLine(request)) -> \(outcome), \(duration.milliseconds) ms"
        let age = response.value(forHTTPHeaderField: "Age").flatMap(UInt32.init) ?? 0
        serverDate = response.value(forHTTPHeaderField: "Date").flatMap(HTTPDate.parse).map { $0 + TimeInterval(age) }
    }

    init(_ request: URLRequest, failedWith error: any Error, after duration: Duration) {
        let code = (error as? any IdentityFailure)?.failureCode ?? "cancelled"
        description = "\(Self.requestLine(request)) -> \(code), \(duration.milliseconds) ms"
    }

    /// Returns the method and the address. The query has only the names of its parameters, because values may be
    /// authorization codes and challenges.
    private static func requestLine(_ request: URLRequest) -> String {
        guard let url = request.url, let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return "? ?"
        }
        let names = (components.percentEncodedQueryItems ?? []).map { item in
            // A parameter without "=" may itself be a secret value.
            item.value == nil ? "<redacted>" : "\(item.name.withoutTokens)=<redacted>"
        }
        let query = names.isEmpty ? "" : "?" + names.joined(separator: "&")
        let origin = "\(components.scheme ?? "")://\(url.authority)"
        return "\(request.httpMethod ?? "GET") \(origin)\(components.percentEncodedPath.withoutTokens)\(query)"
    }

    /// Returns the error codes in a JSON response: `error` of OAuth (RFC 6749 section 5.2), and the members `error.code` and
    /// `code` of other backends.
    private static func errorCodes(in body: Data, status: Int) -> [String] {
        guard let document = try? JSONValue(parsing: body), case .object(let members) = document else { return [] }
        var codes = [members["error"]?.stringValue, members["error"]?["code"]?.stringValue]
        // Ignore `code` in a successful response, because there it may be an authorization code.
        if status >= 400 { codes.append(members["code"]?.stringValue) }
        return codes.compactMap { $0 }.filter { isErrorCode($0) }
    }

    /// Returns whether the text is shorter than 40 bytes and looks like an error code, not like a secret.
    private static func isErrorCode(_ word: String) -> Bool {
        word.utf8.count < 40
            && (word.wholeMatch(of: /[a-z]+([_.\-][a-z0-9]+)*/) ?? word.wholeMatch(of: /[A-Z]+([_.\-][A-Z0-9]+)*/))
                != nil
    }
}

extension Duration {
    fileprivate var milliseconds: Int { Int((timeInterval * 1000).rounded()) }
}
