import Foundation
import IdentityKit

/// The unverified ID token of a refresh, with the values that it must agree with (OpenID Connect Core section 12.2).
struct RefreshedIDToken: Sendable {
    private let pending: PendingVerification
    private let expectation: IDTokenExpectation

    /// - Parameters:
    ///   - pending: the ID token, with the times of its request and response.
    ///   - previous: the previous ID token of the session; `nil` if there is none.
    ///   - accessToken: the access token of the same response.
    ///   - subject: the person of the session, as in ``IDToken/person``; `nil` if only the previous ID token identifies the
    ///     person.
    init(_ pending: PendingVerification, of previous: Secret?, accessToken: Secret, subject: String?) {
        self.pending = pending
        var expectation = IDTokenExpectation.refresh(of: previous, accessToken: accessToken, subject: subject)
        // A server may send the previous ID token again. Its `at_hash` belongs to an earlier access token.
        if pending.idToken == previous { expectation.accessToken = nil }
        expectation.received = pending
        self.expectation = expectation
    }

    /// Takes the unverified ID token from a refreshed session; `nil` if the session has none.
    init?(of credential: Credential) {
        guard let pending = credential.pendingVerification else { return nil }
        self.init(
            pending, of: credential.idToken, accessToken: credential.accessToken(with: pending),
            subject: SessionSubject.of(credential))
    }

    /// Verifies the token. Fetches the server's keys if none are cached or no cached key fits. Fetches them again if a
    /// cached key does not verify the signature, because a restarted server may reuse a `kid` for a new key.
    /// - Throws: ``OAuthError``, `CancellationError`, or what the transport throws.
    func verified(by party: RelyingParty) async throws -> IDToken {
        try await party.validator.validate(
            pending.idToken, keys: party.requireKeys(), doubting: true, expecting: expectation,
            at: pending.serverTime(after: expectation.previous))
    }

    /// Verifies the token with the cached keys, without a request.
    /// - Returns: `nil` if no keys are cached, or newly fetched keys might verify the token.
    /// - Throws: ``OAuthError/invalidToken(_:)`` or ``OAuthError/invalidIDToken(_:)``.
    func verifiedAtOnce(by party: RelyingParty) async throws -> IDToken? {
        guard let keys = await party.keys?.knownKeys else { return nil }
        let token = try JSONWebToken(pending.idToken)
        do {
            return try party.validator.validate(
                pending.idToken, keys: keys, expecting: expectation,
                at: pending.serverTime(after: expectation.previous))
        } catch let error as OAuthError
            where error.mayBeKeyRotation(of: token.message) || error == .invalidToken(.invalidSignature)
        {
            return nil
        }
    }
}

extension PendingVerification {
    /// Returns the server's time when the response arrived. The source is the `Date` of the response, or else the ID token's
    /// `iat`, or else this machine's clock.
    /// - Parameter previous: the session's previous ID token; an `iat` that is not later than the `iat` of this previous token
    ///   is ignored.
    /// - Throws: ``OAuthError/invalidToken(_:)`` for an ID token that cannot be decoded.
    func serverTime(after previous: JSONWebToken?) throws -> Date {
        ClockOffset(
            serverDate: serverDate, newToken: try JSONWebToken(idToken), after: previous, sentAt: sentAt,
            receivedAt: receivedAt
        ).serverTime(at: receivedAt)
    }
}

extension RefreshVerification {
    /// Verifies the ID token of `credential`, by the rules of ``RelyingParty/refresh(_:previousIDToken:subject:)``.
    /// - Parameters:
    ///   - credential: the session as the refresh left it.
    ///   - translated: converts an error to an error of the provider's own type.
    ///   - verify: verifies the ID token; returns `nil` if there is none, or the keys must be fetched.
    /// - Returns: `nil` when `verify` returns `nil`.
    /// - Throws: `CancellationError`; every other error of `verify` becomes a part of the result.
    static func of(
        _ credential: Credential, translating translated: (any Error) -> any Error,
        _ verify: () async throws -> IDToken?
    ) async throws -> RefreshVerification? {
        var verified = credential
        verified.pendingVerification = nil
        do {
            return try await verify().map { .verified(verified.identified(by: $0)) }
        } catch let error as OAuthError where error.isForeignIDToken {
            return .refused(reason: error.message)
        } catch let error as CancellationError {
            throw error
        } catch {
            return .verified(verified, dropping: translated(error))
        }
    }
}

extension TokenSet {
    /// Returns the tokens with their ID token verified, or without an ID token if the verification failed.
    /// - Throws: ``OAuthError`` when the ID token shows that the tokens are not for this session.
    func verified(_ idToken: RefreshedIDToken, by party: RelyingParty) async throws -> TokenSet {
        do {
            return with(try await idToken.verified(by: party))
        } catch let error as OAuthError where error.isForeignIDToken {
            throw error
        } catch {
            return with(nil, dropping: error)
        }
    }

    private func with(_ idToken: IDToken?, dropping error: (any Error)? = nil) -> TokenSet {
        TokenSet(
            response: response, idToken: idToken, sentAt: sentAt, receivedAt: receivedAt, proofKey: proofKey,
            droppedIDToken: error)
    }
}
