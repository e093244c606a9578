import Foundation
import IdentityKit

/// A redirect to the app, split into its parameters and not yet trusted.
///
/// Use it for a response that is not an authorization response, such as that of a sign-out. For an authorization response,
/// use `AuthorizationResponse`.
package struct CallbackURL: Sendable {
    /// The decoded parameters of the query, in order. Empty parameters are left out, because a parameter without a value
    /// counts as omitted (RFC 6749 section 3.1).
    package let parameters: [FormField]
    /// The decoded parameters of the fragment, without empty ones. Unlike in the query, a parameter may occur twice. Empty if
    /// the fragment is not form-encoded.
    package let fragmentParameters: [FormField]

    private let parts: URLParts

    /// Decodes the parameters of `url`.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when the URL or its query is malformed, the URL contains user information
    ///   (`user@`), or the query repeats a parameter.
    package init(_ url: URL) throws {
        guard let parts = URLParts(url.absoluteString), let fields = FormEncoding.decode(parts.query ?? "") else {
            throw OAuthError.invalidCallback(.malformed)
        }
        guard !parts.hasUserInfo else { throw OAuthError.invalidCallback(.containsUserInfo) }
        self.parts = parts
        parameters = try fields.withoutRepetition()
        // Ignore a fragment that is not form-encoded, because some servers append a meaningless fragment.
        fragmentParameters = (FormEncoding.decode(parts.fragment ?? "") ?? []).filter { !$0.value.isEmpty }
    }

    /// The parameters of the authorization response, which are usually those of the query.
    ///
    /// If the query has none of the ``responseNames``, and the fragment has an `error` but no `code`, the parameters are those
    /// of the fragment. A server responds in the fragment if it mistakes the response type of the request.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when the parameters are those of the fragment, and one occurs twice.
    var responseParameters: [FormField] {
        get throws {
            let isResponse = parameters.contains { Self.responseNames.contains($0.name) }
            guard !isResponse, fragmentParameters.contains(where: { $0.name == "error" }),
                !fragmentParameters.contains(where: { $0.name == "code" })
            else { return parameters }
            return try fragmentParameters.withoutRepetition()
        }
    }

    /// Names of parameters of a response. A query or fragment with any of them counts as a response.
    static let responseNames: Set = ["code", "state", "error", "iss"]

    /// The value of the query parameter `name`; `nil` if it is absent or empty.
    package subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Whether this URL is a response at `redirectURI`: scheme, host, port and path are the same, and the query
    /// contains every non-empty parameter of the redirect URI's query (RFC 6749 section 3.1.2).
    package func returns(to redirectURI: URL) -> Bool {
        guard let expected = URLParts(redirectURI.absoluteString),
            parts.scheme == expected.scheme, parts.origin.hasBytes(of: expected.origin),
            parts.normalizedPath.hasBytes(of: expected.normalizedPath),
            let required = FormEncoding.decode(expected.query ?? "")
        else { return false }
        return required.allSatisfy { field in
            field.value.isEmpty
                || parameters.contains { $0.name.hasBytes(of: field.name) && $0.value.hasBytes(of: field.value) }
        }
    }
}

extension [FormField] {
    /// Returns the fields that have a value.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when a name occurs twice, even without a value.
    func withoutRepetition() throws -> [FormField] {
        var names: Set<String> = []
        for field in self where !names.insert(field.name).inserted {
            throw OAuthError.invalidCallback(.repeatedParameter(field.name))
        }
        return filter { !$0.value.isEmpty }
    }
}

extension CallbackURL: Reticent {
    /// Shows the address without its query, and the names of the parameters without their values.
    package var shown: KeyValuePairs<String, Any> {
        [
            "address": (parts.scheme + "://" + (parts.origin ?? "") + parts.path).addressAlone,
            "parameters": parameters,
            "fragmentParameters": fragmentParameters,
        ]
    }
}
