import Foundation
import IdentityKit

extension URLRequest {
    /// Creates a POST of form fields that accepts JSON. The request gets a connection of its own, because it may spend an
    /// authorization code or a refresh token.
    static func form(_ fields: [FormField], to endpoint: URL) -> URLRequest {
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        request.setValue(FormEncoding.contentType, forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.httpBody = Data(FormEncoding.encode(fields).utf8)
        request.needsOwnConnection()
        return request
    }

    /// Creates a request that sends a JSON object and accepts JSON.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for an infinite number or NaN, which JSON cannot express.
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
    /// Returns the URL of an endpoint with `fields` added to its query. Fields that the query already has are kept (RFC
    /// 6749 section 3.1).
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the query already has a field of the same name or cannot be
    ///   decoded, or when the URL has a fragment.
    package func appending(_ fields: [FormField]) throws -> URL {
        guard let parts = URLParts(absoluteString), parts.fragment == nil,
            let own = FormEncoding.decode(parts.query ?? "")
        else { throw OAuthError.invalidSetting(.invalidParameter("endpoint")) }
        try requireUnreserved(own, beside: fields)
        let separator = parts.query == nil ? "?" : own.isEmpty ? "" : "&"
        // Every server reads `%20` in a URL as a space. Some, such as Amazon Cognito, do not read `+` as a space.
        let added = FormEncoding.encode(fields).replacingOccurrences(of: "+", with: "%20")
        guard let url = URL(string: absoluteString + separator + added) else {
            throw OAuthError.invalidSetting(.invalidParameter("endpoint"))
        }
        return url
    }
}

/// Checks that no extra parameter has the name of a field in `fields` or a name in `reserved`, which it would override.
/// - Throws: ``OAuthError/invalidSetting(_:)`` with the first such name.
func requireUnreserved(_ extra: [FormField], beside fields: [FormField], reserved: Set<String> = []) throws {
    let taken = reserved.union(fields.map(\.name))
    if let clash = extra.first(where: { taken.contains($0.name) }) {
        throw OAuthError.invalidSetting(.reservedParameter(clash.name))
    }
}

/// Returns the scopes joined by `separator`, which is a space in the RFC (RFC 6749 section 3.3); `nil` without scopes.
/// - Throws: ``OAuthError/invalidSetting(_:)`` when a scope is empty, or contains `separator` or a character that the
///   RFC does not allow in scopes.
func scopeParameter(_ scopes: some Collection<String>, separator: String = " ") throws -> String? {
    guard scopes.allSatisfy({ $0.isUnquotedWord && (separator == " " || !$0.contains(separator)) }) else {
        throw OAuthError.invalidSetting(.invalidParameter("scope"))
    }
    return scopes.isEmpty ? nil : scopes.joined(separator: separator)
}
