import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How a session's access token is put into a request: as a bearer token (RFC 6750), or with a proof of the key it is
/// bound to (RFC 9449).
///
/// A request of an app gets a bound token as a bearer token at one place alone, the person's own record: that part of the
/// server takes nothing else and does not look at the binding (contract 3).
struct TokenPresentation: Sendable {
    let baseURL: ServerURL
    let tokens: TokenService?

    /// `request` with the token of `credential`.
    /// - Throws: ``IAMError`` for a bound token without the client whose key it is bound to, ``TokenStoreError``,
    ///   ``OAuthError``, ``MalformedTokenError``.
    func authorizing(_ request: URLRequest, with credential: Credential) async throws -> URLRequest {
        guard credential.isBound, !request.isFor(ownRecordOf: baseURL) else {
            return try request.bearing(credential.accessToken.reveal())
        }
        return try await proving(request, credential.accessToken)
    }

    /// `request`, which was refused, once more.
    /// - Parameters:
    ///   - response: the refusal, when the caller has it.
    ///   - replace: the session with another token than the refused one.
    /// - Returns: `nil` when the request has no token, or there is no other.
    func reauthorizing(
        _ request: URLRequest, after response: HTTPURLResponse?, replace: (String) async throws -> Credential
    ) async throws -> URLRequest? {
        guard let rejected = request.presentedToken else { return nil }
        if let again = try await provingAgain(request, after: response) { return again }
        do {
            let credential = try await replace(rejected)
            guard credential.accessToken.reveal() != rejected else { return nil }
            return try await authorizing(request, with: credential)
        } catch SessionError.cannotRefresh {
            // There is no other token, and what the server said about this one is worth more than that.
            return nil
        }
    }

    /// `request`, which was refused, with the same token and another proof, when that is what the server asks for: a proof
    /// with its nonce, or one of another time.
    private func provingAgain(_ request: URLRequest, after response: HTTPURLResponse?) async throws -> URLRequest? {
        guard let response, let token = request.boundToken else { return nil }
        try await prover().learn(from: response)
        let challenges = AuthenticationChallenge.parse(response.value(forHTTPHeaderField: "WWW-Authenticate") ?? "")
        let wantsProof = challenges.contains { challenge in
            challenge.scheme.lowercased() == "dpop"
                && ["use_dpop_nonce", "invalid_dpop_proof"].contains(challenge.parameters["error"])
        }
        guard wantsProof else { return nil }
        let again = try await proving(request, Secret(token))
        return Self.proof(of: again, differsFrom: Self.proof(of: request)) ? again : nil
    }

    /// Whether another proof can change the server's mind: it has another nonce, or another time.
    private static func proof(of request: URLRequest, differsFrom former: (nonce: String?, time: Double)) -> Bool {
        let proof = proof(of: request)
        return proof.nonce != former.nonce || abs(proof.time - former.time) > 30
    }

    private static func proof(of request: URLRequest) -> (nonce: String?, time: Double) {
        let claims = request.value(forHTTPHeaderField: "DPoP").flatMap { try? JSONWebToken(Secret($0)) }?.claims
        return (claims?["nonce"]?.stringValue, claims?["iat"]?.numberValue ?? 0)
    }

    /// How a token is presented in a call of ``ServerAPI``.
    func authorization(_ credential: Credential) async throws -> ServerAPI.Authorization {
        credential.isBound
            ? .dpop(credential.accessToken, try await prover()) : .bearer(credential.accessToken)
    }

    private func proving(_ request: URLRequest, _ token: Secret) async throws -> URLRequest {
        var request = request
        try await prover().prove(&request, accessToken: token)
        return request
    }

    private func prover() async throws -> DPoPProver {
        guard let tokens else {
            throw IAMError(
                .invalidConfiguration,
                "The session's tokens are bound to a key of its client. Set the client identifier.")
        }
        return try await tokens.device.prover
    }
}

extension Credential {
    /// Whether the access token is bound to a key.
    var isBound: Bool { TokenType(rawValue: tokenType) == .dpop }
}

extension URLRequest {
    /// The token in the `Authorization` header, whatever it is presented as.
    fileprivate var presentedToken: String? { bearerToken ?? boundToken }

    fileprivate var boundToken: String? {
        let scheme = "DPoP "
        guard let header = value(forHTTPHeaderField: "Authorization"), header.hasPrefix(scheme) else { return nil }
        return String(header.dropFirst(scheme.count))
    }

    /// Whether it goes to `users/me` of the server at `baseURL`, or below. An address that could mean something else to
    /// somebody on the way does not.
    fileprivate func isFor(ownRecordOf baseURL: ServerURL) -> Bool {
        guard let url, let asked = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let own = URLComponents(url: baseURL.appending("users/me"), resolvingAgainstBaseURL: true),
            asked.user == nil, asked.password == nil, asked.scheme?.lowercased() == own.scheme,
            asked.host?.lowercased() == own.host, asked.effectivePort == own.effectivePort
        else { return false }
        let (path, wanted) = (asked.percentEncodedPath, own.percentEncodedPath)
        guard path != wanted else { return true }
        return path.hasPrefix(wanted + "/")
            && path.dropFirst(wanted.count).utf8.allSatisfy { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: ".") }
    }
}

extension URLComponents {
    fileprivate var effectivePort: Int? { port ?? (scheme?.lowercased() == "https" ? 443 : 80) }
}
