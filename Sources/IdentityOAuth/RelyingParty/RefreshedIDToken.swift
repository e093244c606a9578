import Foundation
import IdentityKit

/// An ID token that came with a refresh, and what it must agree with (OpenID Connect Core section 12.2).
struct RefreshedIDToken: Sendable {
    private let pending: PendingVerification
    private let expectation: IDTokenExpectation

    /// - Parameters:
    ///   - pending: the ID token, and when it was received.
    ///   - previous: the ID token of the session.
    ///   - accessToken: the access token of the same response.
    ///   - subject: the person of the session, where that is known beside the ID token.
    init(_ pending: PendingVerification, of previous: Secret?, accessToken: Secret, subject: String?) {
        self.pending = pending
        var expectation = IDTokenExpectation.refresh(of: previous, accessToken: accessToken, subject: subject)
        // A repeated ID token belongs to the first access token.
        if pending.idToken == previous { expectation.accessToken = nil }
        expectation.received = pending
        self.expectation = expectation
    }

    /// The ID token that is still to be verified of a refreshed session; `nil` when there is none.
    init?(of credential: Credential) {
        guard let pending = credential.pendingVerification else { return nil }
        self.init(
            pending, of: credential.idToken, accessToken: credential.accessToken(with: pending),
            subject: SessionSubject.of(credential))
    }

    /// Verifies it, with a request for the server's keys where they are not known. A server may have another key of the same
    /// name than before it was restarted, so keys that were fetched before the response came do not show that it is forged.
    /// - Throws: ``OAuthError``, or what the transport throws.
    func verified(by party: RelyingParty) async throws -> IDToken {
        try await party.validator.validate(
            pending.idToken, keys: party.requireKeys(), doubting: true, expecting: expectation,
            at: pending.serverTime(after: expectation.previous))
    }

    /// Verifies it without a request; `nil` when that takes one.
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
    /// - Throws: ``OAuthError/invalidToken(_:)`` for what is no JWT.
    func serverTime(after previous: JSONWebToken?) throws -> Date {
        ClockOffset(
            serverDate: serverDate, newToken: try JSONWebToken(idToken), after: previous, sentAt: sentAt,
            receivedAt: receivedAt
        ).serverTime(at: receivedAt)
    }
}

extension RefreshVerification {
    /// The result of verifying the ID token of `credential`, with the rules of
    /// ``RelyingParty/refresh(_:previousIDToken:subject:)``.
    /// - Parameters:
    ///   - credential: the session as the refresh left it.
    ///   - translated: the provider's own error for an error.
    ///   - verify: verifies the ID token; `nil` when that takes a request.
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
