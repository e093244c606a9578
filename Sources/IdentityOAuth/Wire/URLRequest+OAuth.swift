import Foundation
import IdentityKit

extension URLRequest {
    /// A POST of form fields that accepts JSON.
    static func form(_ fields: [FormField], to endpoint: URL) -> URLRequest {
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        request.setValue(FormEncoding.contentType, forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.httpBody = Data(FormEncoding.encode(fields).utf8)
        request.needsOwnConnection()
        return request
    }

    /// A request with a JSON object that accepts JSON.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a number that JSON does not have.
    static func json(_ members: [String: JSONValue], to url: URL, method: String) throws -> URLRequest {
        var request = json(from: url)
        request.httpMethod = method
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONValue.object(members).serialized()
        return request
    }

    static func json(from url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        return request
    }
}

extension URL {
    /// Adds `fields` to the endpoint's own query, which is kept (RFC 6749 section 3.1).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when that query already has a field of the same name.
    package func appending(_ fields: [FormField]) throws -> URL {
        guard let parts = URLParts(absoluteString), parts.fragment == nil,
            let own = FormEncoding.decode(parts.query ?? "")
        else { throw OAuthError.invalidSetting(.invalidParameter("endpoint")) }
        try requireUnreserved(own, beside: fields)
        let separator = parts.query == nil ? "?" : own.isEmpty ? "" : "&"
        // Every server reads `%20` in an address as a space, but not every server reads `+` so (Amazon Cognito does not).
        let added = FormEncoding.encode(fields).replacingOccurrences(of: "+", with: "%20")
        guard let url = URL(string: absoluteString + separator + added) else {
            throw OAuthError.invalidSetting(.invalidParameter("endpoint"))
        }
        return url
    }
}

/// Refuses extra parameters that would override those of the protocol.
func requireUnreserved(_ extra: [FormField], beside fields: [FormField], reserved: Set<String> = []) throws {
    let taken = reserved.union(fields.map(\.name))
    if let clash = extra.first(where: { taken.contains($0.name) }) {
        throw OAuthError.invalidSetting(.reservedParameter(clash.name))
    }
}

/// Scope tokens joined by spaces (RFC 6749 section 3.3); `nil` when there are none.
/// - Throws: when a token is empty or holds a character that is not allowed in one.
func scopeParameter(_ scopes: some Collection<String>, separator: String = " ") throws -> String? {
    guard scopes.allSatisfy({ $0.isUnquotedWord && (separator == " " || !$0.contains(separator)) }) else {
        throw OAuthError.invalidSetting(.invalidParameter("scope"))
    }
    return scopes.isEmpty ? nil : scopes.joined(separator: separator)
}
