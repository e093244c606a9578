import Foundation
import IdentityKit

/// Adds a session's access token to requests: as a bearer token (RFC 6750), or with a proof of the key to which the token is
/// bound (RFC 9449).
package struct TokenPresentation: Sendable {
    private let prove: @Sendable (Credential) async throws -> DPoPProver
    private let takesBearer: @Sendable (URLRequest) -> Bool
    /// The only resource that tokens are for; `nil` for any.
    private let resource: URL?

    /// - Parameters:
    ///   - prover: returns the prover of the key to which the tokens of a session are bound.
    ///   - resource: the only resource that tokens are for; `nil` for any.
    ///   - takesBearer: whether the resource of a request accepts bound tokens only as bearer tokens.
    package init(
        prover: @escaping @Sendable (Credential) async throws -> DPoPProver, resource: URL? = nil,
        takesBearer: @escaping @Sendable (URLRequest) -> Bool = { _ in false }
    ) {
        prove = prover
        self.resource = resource
        self.takesBearer = takesBearer
    }

    /// Returns the prover for the token of `credential`; `nil` for a bearer token.
    /// - Throws: what the closure `prover` of the initializer throws, such as ``OAuthError`` for a session without a key.
    package func prover(for credential: Credential) async throws -> DPoPProver? {
        credential.isBound ? try await prove(credential) : nil
    }

    /// Returns `request` with the access token of `credential`, and with a proof if the token is bound to a key.
    /// - Throws: ``OAuthError/invalidResource(_:)`` for an address outside the only resource of the tokens, another
    ///   `OAuthError` when the proof cannot be made, `MalformedTokenError`, `RandomnessError`, and what
    ///   ``prover(for:)`` throws.
    package func authorizing(_ request: URLRequest, with credential: Credential) async throws -> URLRequest {
        try requireInside(request)
        let prover = takesBearer(request) ? nil : try await prover(for: credential)
        return try request.presenting(credential.accessToken, dpop: prover)
    }

    /// Authorizes a refused request again: with the same token and a new proof if the server demands that, otherwise with
    /// another token.
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - response: the refusal; `nil` if the caller does not have it.
    ///   - session: returns the session with a token that is not the given refused one. For `nil`, returns the session with its
    ///     current token.
    /// - Returns: `nil` if the request has no token, or there is no other token: the session cannot be refreshed, or is
    ///   suspended, usually until a new sign-in.
    /// - Throws: as ``authorizing(_:with:)``, and what `session` throws. When `session` is called for another token, the errors
    ///   for a session that cannot be refreshed or is suspended are not thrown.
    package func reauthorizing(
        _ request: URLRequest, after response: HTTPURLResponse?,
        session: (_ rejectedToken: String?) async throws -> Credential
    ) async throws -> URLRequest? {
        guard let rejected = request.bearerToken ?? request.boundToken else { return nil }
        do {
            if let response, request.boundToken != nil,
                let again = try await provingAgain(request, after: response, with: session(nil))
            {
                return again
            }
        } catch SessionError.cannotRefresh, SessionError.suspended {
            // The server's response explains the refusal better than these errors.
            return nil
        }
        let credential = try await rejected.replacingToken(text: { $0.accessToken.reveal() }) { try await session($0) }
        guard let credential else { return nil }
        return try await authorizing(request, with: credential)
    }

    private func requireInside(_ request: URLRequest) throws {
        guard let resource else { return }
        guard let url = request.url, url.isInside(resource) else {
            throw OAuthError.invalidResource(.requestOutside(host: request.url?.host ?? "an unknown host"))
        }
    }

    /// Returns `request` with the same token and a new proof; `nil` if the server does not demand that, or the token is not
    /// the session's current one.
    private func provingAgain(
        _ request: URLRequest, after response: HTTPURLResponse, with credential: Credential
    ) async throws -> URLRequest? {
        guard let prover = try await prover(for: credential) else { return nil }
        prover.learn(from: response)
        // The token must be that of the session, because the session's key proves no other token.
        guard let token = request.boundToken, token == credential.accessToken.reveal(), let error = response.proofError,
            prover.learn(from: response, refusing: request, error)
        else {
            return nil
        }
        return try request.presenting(Secret(token), dpop: prover)
    }
}

/// A provider whose requests are authorized by a ``TokenPresentation``.
package protocol TokenPresenting: SessionProvider {
    var presentation: TokenPresentation { get }

    /// Returns a credential with a valid access token that is not `rejectedToken`.
    func credential(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String?
    ) async throws -> Credential
}

extension TokenPresenting where Self: SessionBackedProvider {
    package func credential(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String?
    ) async throws -> Credential {
        try await sessions.credential(for: accountID, scopes: scopes, replacing: rejectedToken)
    }
}

extension TokenPresenting {
    /// Returns `request` with the account's access token, and with a proof if the token is bound to a key (RFC 9449).
    /// - Throws: ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``, `OAuthError`, an error with the
    ///   code `token_malformed` or `randomness_unavailable`, or the provider's own error.
    public func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest {
        try await presentation.authorizing(
            request, with: credential(for: accountID, scopes: scopes, replacing: nil))
    }

    /// Authorizes a refused request again: with the same token and the proof that the server demands, or with another token.
    /// - Returns: `nil` if the request has no token, or there is no other token.
    /// - Throws: as ``authorize(_:for:scopes:)``.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        try await presentation.reauthorizing(request, after: response) { rejected in
            try await credential(for: accountID, scopes: scopes, replacing: rejected)
        }
    }
}

extension URLRequest {
    /// Returns the request with an access token: as a bearer token, or, if `dpop` is given, with a proof of its key.
    /// - Throws: `MalformedTokenError`, `RandomnessError`, or ``OAuthError``.
    func presenting(_ accessToken: Secret, dpop: DPoPProver?) throws -> URLRequest {
        guard let dpop else { return try bearing(accessToken.reveal()) }
        var request = self
        try dpop.prove(&request, accessToken: accessToken)
        return request
    }

    fileprivate var boundToken: String? {
        let scheme = "DPoP "
        guard let header = value(forHTTPHeaderField: "Authorization"), header.hasPrefix(scheme) else { return nil }
        return String(header.dropFirst(scheme.count))
    }
}
