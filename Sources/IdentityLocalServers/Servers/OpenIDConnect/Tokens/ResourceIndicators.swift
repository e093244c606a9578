import Foundation
import IdentityKit

extension LocalOpenIDConnectServer {
    /// The server's treatment of a resource or audience that a refresh names.
    public enum ResourceIndicators: Sendable, Equatable {
        /// The parameter is ignored, and the token does not state an audience.
        case ignored
        /// The token is a JWT for the named resource.
        case named
        /// The token is for the named resource, but is opaque; only introspection (RFC 7662) tells the audience.
        case introspected
        /// The token is a JWT for the named resource if it is in this list, otherwise for the first of the list.
        case defaulting([String])
        /// The token is a JWT for the resource named at the sign-in, and any other one is refused (`invalid_target`).
        case onePerGrant
        case refused
        /// The parameter is refused, and the token is a JWT for the resource that prefixes the scopes, such as
        /// `https://api.example.com/.default`, as at Microsoft Entra ID.
        case beforeScopes
    }
}

extension OpenIDCall {
    /// Refuses a request for several resources if a sign-in gets tokens for only one.
    func checkResources(of request: OpenIDAuthorizationRequest) throws {
        guard backend.configuration.resourceIndicators == .onePerGrant, request.resources.count > 1 else { return }
        throw OpenIDRequestError("invalid_target", "One resource at a time").told(at: request.callback)
    }

    /// The resource that a token request is for, according to the server's treatment.
    func namedResource(of grant: OpenIDGrant?) throws -> String? {
        let before = Set(requestedWords.compactMap(resource(before:)))
        guard let asked = field("resource") ?? field("audience") else {
            guard before.count <= 1 else { throw Self.refusal }
            return before.first
        }
        switch backend.configuration.resourceIndicators {
        case .ignored: return nil
        case .named, .introspected: return asked
        case .defaulting(let known): return known.contains(asked) ? asked : known.first
        case .onePerGrant:
            let first = grant.flatMap { grant in
                backend.tokens.accessTokens(of: grant.id).lazy.compactMap(\.audience).first
            }
            guard first ?? asked == asked else { throw Self.refusal }
            return asked
        case .refused, .beforeScopes: throw Self.refusal
        }
    }

    /// The resource that prefixes a scope, at a server that uses such scopes.
    func resource(before scope: String) -> String? {
        guard backend.configuration.resourceIndicators == .beforeScopes, scope.contains("://") else { return nil }
        return scope.lastIndex(of: "/").map { String(scope[..<$0]) }
    }

    private static let refusal = OpenIDServerError.oauth("invalid_target", "The resource is not known")
}

extension OpenIDTokenRegistry {
    /// A token text that states its audience: a JWT (RFC 9068 section 2.2) with a signature that nobody verifies.
    static func text(for audience: String) -> String {
        func part(_ members: [String: JSONValue]) -> String {
            let json = (try? JSONEncoder().encode(JSONValue.object(members))) ?? Data()
            return json.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
        let header = part(["alg": "none", "typ": "at+jwt"])
        let claims = part(["aud": .string(audience), "jti": .string(LocalIdentifiers.base64URL(byteCount: 24))])
        return "\(header).\(claims).\(LocalIdentifiers.base64URL(byteCount: 24))"
    }
}
