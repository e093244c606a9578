import Foundation
import IdentityKit

extension NativeSignIn {
    /// A vendor's token that contains the hash of a nonce made for this sign-in.
    package struct BoundAnswer: Sendable {
        package let answer: Answer
        /// The secret whose hash is in the token, for a server that compares them.
        package let nonce: Secret
    }

    /// Asks the person for a token with the hash of a new nonce in it, and refuses a token with another nonce, which
    /// belongs to another sign-in (OpenID Connect Core section 3.1.3.7).
    /// - Throws: ``OAuthError``, `CancellationError` when the person gives up, or what the vendor's library throws.
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

/// The way in which an authorization server accepts a vendor's token that this device obtained.
public struct NativeTokenGrant: Sendable, Equatable {
    /// The grant with which the vendor's token is sent.
    public enum Method: String, Sendable, CaseIterable, Decodable {
        /// The token is exchanged (RFC 8693).
        case tokenExchange = "token-exchange"
        /// The token is an assertion (RFC 7523 section 2.1).
        case jwtBearer = "jwt-bearer"
    }

    /// The vendor, by the type of its preset, such as `apple`.
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
