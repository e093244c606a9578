import Foundation
import IdentityKit

extension NativeSignIn {
    /// A vendor's token that was requested with the hash of a nonce. If the sign-in requires a nonce, the token contains the
    /// hash. Otherwise the hash may be missing.
    package struct BoundAnswer: Sendable {
        package let answer: Answer
        /// The nonce itself, for a server that hashes it and compares the result with the hash in the token.
        package let nonce: Secret
    }

    /// Lets the person sign in with the hash of a new nonce, and returns the nonce and the vendor's token. A token with
    /// another hash is refused, because it belongs to another sign-in (OpenID Connect Core section 3.1.3.7).
    /// - Throws: ``OAuthError/invalidIDToken(_:)`` for another nonce, or for a token without the required nonce;
    ///   ``OAuthError/invalidToken(_:)`` for a malformed token; `RandomnessError`; `CancellationError` when the person
    ///   gives up; or the error of the vendor's library.
    package func boundAnswer(random: RandomSource) async throws -> BoundAnswer {
        let nonce = try random.bytes(32).hexEncoded
        let expected = sha256(Data(nonce.utf8)).hexEncoded
        let answer = try await answer(nonce: expected)
        switch try JSONWebToken(answer.token).claims["nonce"]?.stringValue {
        case let received?:
            guard received.isSameSecret(as: expected) else { throw OAuthError.invalidIDToken(.nonceMismatch) }
        case nil: guard !requiresNonce else { throw OAuthError.invalidIDToken(.nonceMissing) }
        }
        return BoundAnswer(answer: answer, nonce: Secret(nonce))
    }
}

/// The grant by which an authorization server accepts a vendor's token that this device obtained.
public struct NativeTokenGrant: Sendable, Equatable {
    /// The type of the grant in the token request.
    public enum Method: String, Sendable, CaseIterable, Decodable {
        /// A token exchange, with the vendor's token as the subject token (RFC 8693).
        case tokenExchange = "token-exchange"
        /// A JWT bearer grant, with the vendor's token as the assertion (RFC 7523 section 2.1).
        case jwtBearer = "jwt-bearer"
    }

    /// The vendor, named by the type of its `ProviderPreset`, such as `apple`.
    public var vendor: String
    public var method: Method

    public init(vendor: String, method: Method = .tokenExchange) { (self.vendor, self.method) = (vendor, method) }

    func grant(_ token: Secret, scopes: [String]) throws -> TokenGrant {
        switch method {
        case .tokenExchange:
            try .tokenExchange(
                subjectToken: token, subjectTokenType: .idToken, scopes: scopes.isEmpty ? nil : scopes)
        case .jwtBearer: try .jwtBearer(token, scopes: scopes)
        }
    }
}
