import Foundation
import IdentityKit

extension LocalOpenIDConnectServer {
    /// The handling of a resource, or of an audience, that a refresh names.
    public enum ResourceIndicators: Sendable, Equatable {
        /// Ignored: the token does not say what it is for.
        case ignored
        /// The token is a JWT for it.
        case named
        /// The token is for it and does not say so; introspection does (RFC 7662).
        case introspected
        /// The token is a JWT for it when it is one of these, otherwise for the first of them.
        case defaulting([String])
        /// The token is a JWT for it, and no other one is given to the same sign-in, which may name one (`invalid_target`).
        case onePerGrant
        case refused
        /// Refused, and the token is a JWT for the one resource before the scopes, such as
        /// `https://api.example.com/.default`, as at Microsoft Entra ID.
        case beforeScopes
    }
}

extension OpenIDCall {
    /// Refuses a request for several resources where a sign-in gets tokens for one.
    func checkResources(of request: OpenIDAuthorizationRequest) throws {
        guard backend.configuration.resourceIndicators == .onePerGrant, request.resources.count > 1 else { return }
        throw OpenIDRequestError("invalid_target", "One resource at a time").told(at: request.callback)
    }

    /// The resource that a token request asks for, as the server understands it.
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

    /// The resource before a scope, where the server reads scopes so.
    func resource(before scope: String) -> String? {
        guard backend.configuration.resourceIndicators == .beforeScopes, scope.contains("://") else { return nil }
        return scope.lastIndex(of: "/").map { String(scope[..<$0]) }
    }

    private static let refusal = OpenIDServerError.oauth("invalid_target", "The resource is not known")
}

extension OpenIDTokenRegistry {
    /// The text of a token that says whom it is for: a JWT whose signature nobody looks at (RFC 9068 section 2.2).
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
