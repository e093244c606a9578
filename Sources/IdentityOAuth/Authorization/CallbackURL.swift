import Foundation
import IdentityKit

/// A redirect that came back to the app, split into its parameters and not yet trusted.
///
/// For servers whose response is not a standard authorization response; `AuthorizationResponse` is the standard one.
package struct CallbackURL: Sendable {
    /// The parameters of the query in order, decoded; empty ones are left out, because a parameter without a value
    /// counts as omitted (RFC 6749 section 3.1).
    package let parameters: [FormField]
    /// The parameters of the fragment, decoded the same way.
    package let fragmentParameters: [FormField]

    private let parts: URLParts

    /// Decodes the parameters of `url`.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when it cannot be decoded, names a user, or repeats a parameter.
    package init(_ url: URL) throws {
        guard let parts = URLParts(url.absoluteString), let fields = FormEncoding.decode(parts.query ?? "") else {
            throw OAuthError.invalidCallback(.malformed)
        }
        guard !parts.hasUserInfo else { throw OAuthError.invalidCallback(.containsUserInfo) }
        self.parts = parts
        parameters = try fields.withoutRepetition()
        // Some servers append a fragment without meaning, so a fragment that is not form-encoded is ignored.
        fragmentParameters = (FormEncoding.decode(parts.fragment ?? "") ?? []).filter { !$0.value.isEmpty }
    }

    /// The parameters of the authorization response: those of the query, or those of the fragment if it has an error
    /// and the query has no part of a response. Servers do that when they took the request for one of another response
    /// type.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when a parameter of the error occurs twice.
    var responseParameters: [FormField] {
        get throws {
            let isResponse = parameters.contains { Self.responseNames.contains($0.name) }
            guard !isResponse, fragmentParameters.contains(where: { $0.name == "error" }),
                !fragmentParameters.contains(where: { $0.name == "code" })
            else { return parameters }
            return try fragmentParameters.withoutRepetition()
        }
    }

    /// Parameters that make a URL a response.
    static let responseNames: Set = ["code", "state", "error", "iss"]

    /// The value of the query parameter `name`.
    package subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Whether this is a return to `redirectURI`: the same scheme, host, port and path, and its query among the
    /// parameters (RFC 6749 section 3.1.2).
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
    /// The fields that have a value.
    /// - Throws: ``OAuthError/invalidCallback(_:)`` when a name occurs twice.
    func withoutRepetition() throws -> [FormField] {
        var names: Set<String> = []
        for field in self where !names.insert(field.name).inserted {
            throw OAuthError.invalidCallback(.repeatedParameter(field.name))
        }
        return filter { !$0.value.isEmpty }
    }
}

extension CallbackURL: CustomReflectable {
    /// Shows the names of the parameters without their values.
    package var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "address": (parts.scheme + "://" + (parts.origin ?? "") + parts.path).addressAlone,
                "parameters": parameters,
                "fragmentParameters": fragmentParameters,
            ])
    }
}
