import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request and what came of it, in one line without anything secret: no header, no body, no value of a query.
struct ExchangeLine: CustomStringConvertible {
    let description: String

    /// The line of an answer.
    init(_ request: URLRequest, _ response: HTTPURLResponse, _ body: Data, after duration: Duration) {
        let codes = Self.errorCodes(in: body, status: response.statusCode)
        let answer = (["\(response.statusCode)"] + codes).joined(separator: " ")
        description = "\(Self.requestLine(request)) -> \(answer), \(duration.milliseconds) ms"
    }

    /// The line of a request that got no answer.
    init(_ request: URLRequest, failedWith error: any Error, after duration: Duration) {
        let code = (error as? any IdentityFailure)?.failureCode ?? "cancelled"
        description = "\(Self.requestLine(request)) -> \(code), \(duration.milliseconds) ms"
    }

    /// Method and address. Of a query only the names are shown: the values are codes and challenges.
    private static func requestLine(_ request: URLRequest) -> String {
        guard let url = request.url, let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return "? ?"
        }
        let names = (components.percentEncodedQueryItems ?? []).map { item in
            // A value may stand alone, without a name.
            item.value == nil ? "<redacted>" : "\(item.name.withoutTokens)=<redacted>"
        }
        let query = names.isEmpty ? "" : "?" + names.joined(separator: "&")
        let origin = "\(components.scheme ?? "")://\(url.authority)"
        return "\(request.httpMethod ?? "GET") \(origin)\(components.percentEncodedPath.withoutTokens)\(query)"
    }

    /// What an answer says went wrong: the `error` of OAuth (RFC 6749 section 5.2), or a code of the backend's own.
    private static func errorCodes(in body: Data, status: Int) -> [String] {
        guard let document = try? JSONValue(parsing: body), case .object(let members) = document else { return [] }
        var codes = [members["error"]?.stringValue, members["error"]?["code"]?.stringValue]
        // In any other answer a code is one to be exchanged for tokens.
        if status >= 400 { codes.append(members["code"]?.stringValue) }
        return codes.compactMap { $0 }.filter { isErrorCode($0) }
    }

    /// A word that is too short and too plain to be a secret: of letters of one case, and digits between signs.
    private static func isErrorCode(_ word: String) -> Bool {
        word.utf8.count < 40
            && (word.wholeMatch(of: /[a-z]+([_.\-][a-z0-9]+)*/) ?? word.wholeMatch(of: /[A-Z]+([_.\-][A-Z0-9]+)*/))
                != nil
    }
}

extension Duration {
    /// Rounded, for people.
    fileprivate var milliseconds: Int { Int((timeInterval * 1000).rounded()) }
}
