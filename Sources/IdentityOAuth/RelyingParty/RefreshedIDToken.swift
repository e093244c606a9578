import Foundation
import IdentityKit

/// An ID token of a refresh, with the values it must agree with (OpenID Connect Core section 12.2).
struct RefreshedIDToken: Sendable {
    private let pending: PendingVerification
    private let expectation: IDTokenExpectation

    /// - Parameters:
    ///   - pending: the ID token, and when it was received.
    ///   - previous: the ID token of the session.
    ///   - accessToken: the access token of the same response.
    ///   - subject: the person of the session, if known from elsewhere than the ID token.
    init(_ pending: PendingVerification, of previous: Secret?, accessToken: Secret, subject: String?) {
        self.pending = pending
        var expectation = IDTokenExpectation.refresh(of: previous, accessToken: accessToken, subject: subject)
        // A repeated ID token has the hash of the first access token.
        if pending.idToken == previous { expectation.accessToken = nil }
        expectation.received = pending
        self.expectation = expectation
    }

    /// The ID token of a refreshed session that is still unverified; `nil` if there is none.
    init?(of credential: Credential) {
        guard let pending = credential.pendingVerification else { return nil }
        self.init(
            pending, of: credential.idToken, accessToken: credential.accessToken(with: pending),
            subject: SessionSubject.of(credential))
    }

    /// Verifies the token, and requests the server's keys if they are unknown. A restarted server may reuse a key's
    /// identifier for a new key, so a signature counts as forged only by keys fetched after the response arrived.
    /// - Throws: ``OAuthError``, or what the transport throws.
    func verified(by party: RelyingParty) async throws -> IDToken {
        try await party.validator.validate(
            pending.idToken, keys: party.requireKeys(), doubting: true, expecting: expectation,
            at: pending.serverTime(after: expectation.previous))
    }

    /// Verifies the token without a request; `nil` if the keys must be fetched.
    /// - Throws: ``OAuthError``.
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
    /// The server's time when the response arrived, by its `Date` or the ID token's `iat`.
    /// - Throws: ``OAuthError/invalidToken(_:)`` for a text that is not a JWT.
    func serverTime(after previous: JSONWebToken?) throws -> Date {
        ClockOffset(
            serverDate: serverDate, newToken: try JSONWebToken(idToken), after: previous, sentAt: sentAt,
            receivedAt: receivedAt
        ).serverTime(at: receivedAt)
    }
}

extension RefreshVerification {
    /// The outcome for the ID token of `credential`, by the rules of ``RelyingParty/refresh(_:previousIDToken:subject:)``.
    /// - Parameters:
    ///   - credential: the session as the refresh left it.
    ///   - translated: converts an error to the provider's own.
    ///   - verify: verifies the ID token; returns `nil` if the keys must be fetched.
    /// - Throws: `CancellationError`.
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
    /// Returns the tokens with their ID token verified, or without it.
    /// - Throws: ``OAuthError`` when it shows that they are not for this session.
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
