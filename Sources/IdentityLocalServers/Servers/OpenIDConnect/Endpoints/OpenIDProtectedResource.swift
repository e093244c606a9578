import Foundation
import IdentityKit

/// A protected resource with metadata (RFC 9728): `/api/notes`, which accepts only tokens issued for it (RFC 8707).
///
/// Reading needs the scope `read`, and writing needs the scope `write`. `/api/notes/private` needs no scope, but a sign-in
/// within the last five minutes (RFC 9470).
extension OpenIDCall {
    /// The greatest age of the sign-in for the private notes, in seconds.
    private static let freshness: TimeInterval = 300

    /// `GET /.well-known/oauth-protected-resource/api/notes`: returns the metadata of `/api/notes` (RFC 9728 section 3).
    func resourceMetadata() throws -> LocalResponse {
        if behaviour.has(.resourceNotDescribed) { throw OpenIDServerError.notFound }
        let origin = backend.baseURL
        var members: [String: JSONValue] = [
            "resource": .string(origin + OpenIDEndpoints.notes),
            "authorization_servers": [.string(backend.issuer)],
            "scopes_supported": ["read"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Notes",
            "dpop_bound_access_tokens_required": .bool(behaviour.has(.resourceRequiresBoundTokens)),
        ]
        if behaviour.has(.resourceOfAnother) { members["resource"] = .string(origin + "/api/elsewhere") }
        if behaviour.has(.resourceUnnamed) { members["resource"] = nil }
        if behaviour.has(.resourceWithoutServers) { members["authorization_servers"] = nil }
        if behaviour.has(.resourceOfForeignServer) {
            // The metadata at this address names this server as its issuer, so clients must reject it (RFC 8414 section 3.3).
            members["authorization_servers"] = [.string(origin + "/elsewhere")]
        }
        if behaviour.has(.resourceTakesQueryTokens) { members["bearer_methods_supported"] = ["query"] }
        return .json(.object(members))
    }

    /// `GET /elsewhere/.well-known/openid-configuration`: returns metadata that names this server as its issuer, although the
    /// address belongs to the issuer `/elsewhere`.
    func foreignMetadata() throws -> LocalResponse {
        guard behaviour.has(.resourceOfForeignServer) else { throw OpenIDServerError.notFound }
        return try authorizationServerMetadata()
    }

    func readNotes() throws -> LocalResponse { try notes(needing: "read") }

    func writeNote() throws -> LocalResponse { try notes(needing: "write") }

    func readPrivateNotes() throws -> LocalResponse {
        let token = try tokenForNotes()
        let signedInAt = token.grant.authenticatedAt ?? .distantPast
        guard backend.time.now.timeIntervalSince(signedInAt) < Self.freshness else {
            throw refusal(
                401, "insufficient_user_authentication", "A recent sign-in is needed",
                [("max_age", String(Int(Self.freshness)))])
        }
        return .json(["notes": ["a secret"]])
    }

    private func notes(needing scope: String) throws -> LocalResponse {
        let token = try tokenForNotes()
        guard token.grantedScopes.contains(scope), !behaviour.has(.resourceNeverSatisfied) else {
            throw refusal(403, "insufficient_scope", "\(scope) was not granted", [("scope", "read " + scope)])
        }
        return .json(["notes": ["a note"], "person": .string(token.grant.subject)])
    }

    /// Returns the request's access token. The token must be valid and issued for this resource. If the resource
    /// requires bound tokens, the token must also be bound to a key.
    /// - Throws: ``OpenIDServerError`` for any other token, or without a token.
    private func tokenForNotes() throws -> OpenIDTokenRegistry.Token {
        guard request.header("Authorization") != nil else { throw refusal(401, nil, "", [("scope", "read")]) }
        guard !behaviour.has(.resourceRefusesAllTokens) else {
            throw refusal(401, "invalid_token", "The token is not accepted", [])
        }
        let token: OpenIDTokenRegistry.Token
        do {
            token = try presentedToken()
        } catch OpenIDServerError.challenge(_, let scheme, let error, let description, _) {
            throw refusal(401, error, description, [], scheme: scheme)
        }
        guard token.grant.resources.contains(backend.baseURL + OpenIDEndpoints.notes) else {
            throw refusal(401, "invalid_token", "The token is for somebody else", [])
        }
        guard !behaviour.has(.resourceRequiresBoundTokens) || token.grant.keyThumbprint != nil else {
            throw refusal(401, "invalid_token", "The token must be bound to a key", [], scheme: "DPoP")
        }
        return token
    }

    private func refusal(
        _ status: Int, _ error: String?, _ description: String, _ more: [(name: String, value: String)],
        scheme: String = "Bearer"
    ) -> OpenIDServerError {
        var address = backend.baseURL + OpenIDEndpoints.notesMetadata
        if behaviour.has(.resourceMetadataElsewhere) {
            address = "http://metadata.example" + OpenIDEndpoints.notesMetadata
        }
        return .challenge(
            status: status, scheme: scheme, error: error, description: description,
            parameters: more + [("resource_metadata", address)])
    }
}
