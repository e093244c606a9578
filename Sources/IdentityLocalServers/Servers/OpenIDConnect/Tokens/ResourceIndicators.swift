import Foundation
import IdentityKit

extension LocalOpenIDConnectServer {
    /// The server's treatment of the parameters `resource` and `audience` when a client exchanges an authorization code, a
    /// device code or a refresh token. If neither a parameter nor a scope names a resource, the access token is opaque.
    public enum ResourceIndicators: Sendable, Equatable {
        /// Both parameters are ignored, and the access token is opaque.
        case ignored
        /// The access token is a JWT for the named resource, with a signature that nobody can verify.
        case named
        /// The access token is for the named resource, but is opaque. Only introspection (RFC 7662) returns the audience.
        case introspected
        /// The access token is a JWT for the named resource if the list contains it. For any other named resource, the JWT is
        /// for the first resource of the list. With an empty list, the access token is opaque.
        case defaulting([String])
        /// The access token is a JWT for the named resource. The first token request that names a resource decides for the
        /// whole sign-in. A later request for a different resource is refused (`invalid_target`).
        case onePerGrant
        /// A request with one of the parameters is refused (`invalid_target`).
        case refused
        /// A request with one of the parameters is refused (`invalid_target`). The access token is a JWT for the resource that
        /// precedes a scope in `scope`, as at Microsoft Entra ID. In `https://api.example.com/.default`, the resource is
        /// `https://api.example.com`.
        case beforeScopes
    }
}

extension OpenIDCall {
    /// Refuses an authorization request for several resources (`invalid_target`) if the server allows only one resource
    /// for each sign-in.
    func checkResources(of request: OpenIDAuthorizationRequest) throws {
        guard backend.configuration.resourceIndicators == .onePerGrant, request.resources.count > 1 else { return }
        throw OpenIDRequestError("invalid_target", "One resource at a time").told(at: request.callback)
    }

    /// Returns the resource for the access token of a token request; `nil` for none.
    /// - Throws: `invalid_target` if the server refuses the requested resource, or if the scopes have different resources.
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

    /// Returns the resource that prefixes a scope; `nil` at a server without such scopes, or for a scope without a resource.
    func resource(before scope: String) -> String? {
        guard backend.configuration.resourceIndicators == .beforeScopes, scope.contains("://") else { return nil }
        return scope.lastIndex(of: "/").map { String(scope[..<$0]) }
    }

    private static let refusal = OpenIDServerError.oauth("invalid_target", "The resource is not known")
}

extension OpenIDTokenRegistry {
    /// Returns an access token that states its audience: a JWT with `typ` `at+jwt` (RFC 9068 section 2.1), only the claims
    /// `aud` and `jti`, and random bytes as the signature.
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
