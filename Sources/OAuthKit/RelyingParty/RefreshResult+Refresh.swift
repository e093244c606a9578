import Foundation
import IdentityKit

extension RefreshResult {
    /// Refreshes `credential` by its refresh token, and says what came of it.
    /// - Parameters:
    ///   - credential: the session. Where its details name the person, as ``SessionSubject`` has it, a new ID token must
    ///     be about the same one.
    ///   - relyingParty: the client at the server. What fails in finding it leaves the token unspent.
    ///   - translated: says an error in the words of the provider.
    /// - Throws: whatever leaves the refresh token in doubt.
    package static func refreshing(
        _ credential: Credential, at relyingParty: @Sendable () async throws -> RelyingParty,
        translating translated: @Sendable (any Error) -> any Error = { $0 }
    ) async throws -> RefreshResult {
        guard let refreshToken = credential.refreshToken else { return .refused(reason: "It cannot be refreshed.") }
        let party: RelyingParty
        do {
            party = try await relyingParty()
        } catch {
            // Nothing was sent, so nothing can be in doubt or meant for the token.
            return RefreshFailure(error) == .misconfigured
                ? .misconfigured(translated(error)) : .unspent(translated(error))
        }
        do {
            let refreshed = try await party.requestRefresh(refreshToken).refreshing(credential)
            return try await RefreshResult(refreshed, at: party, translating: translated)
        } catch {
            switch RefreshFailure(error) {
            case .refused: return .refused(reason: Self.reason(of: error))
            case .ambiguous: return .ambiguous(translated(error), kind: Self.kind(of: error))
            case .misconfigured: return .misconfigured(translated(error))
            case .unspent: return .unspent(translated(error))
            case .inDoubt: throw translated(error)
            }
        }
    }

    /// The result, verified if that takes no request.
    private init(_ refreshed: Credential, at party: RelyingParty, translating translated: (any Error) -> any Error)
        async throws
    {
        let verification = try await RefreshVerification.of(refreshed, translating: translated) {
            try await RefreshedIDToken(of: refreshed)?.verifiedAtOnce(by: party)
        }
        switch verification {
        case .verified(let credential, let dropped)?: self = .refreshed(credential, dropping: dropped)
        // The refresh token is spent, and the response that replaces it must not be believed.
        case .refused(let reason)?: self = .refused(reason: reason)
        case nil: self = .refreshed(refreshed)
        }
    }

    /// Status and error code of an answer.
    private static func kind(of error: any Error) -> String? {
        guard case OAuthError.refused(let refusal) = error else { return nil }
        return [refusal.status.map(String.init), refusal.error.rawValue].compactMap { $0 }.joined(separator: " ")
    }

    private static func reason(of error: any Error) -> String {
        guard case OAuthError.refused(let refusal) = error else { return "The server no longer accepts it." }
        let isOver = [.invalidGrant, .invalidToken, .expiredToken].contains(refusal.error)
        let reason = isOver ? "The server no longer accepts it." : "The server wants the person to sign in again."
        return reason + refusal.quotation
    }
}

extension RefreshVerification {
    /// Verifies the ID token that a refresh of ``RefreshResult/refreshing(_:at:translating:)`` brought.
    /// - Parameters:
    ///   - credential: the session as it was stored.
    ///   - relyingParty: the client at the server.
    ///   - translated: says an error in the words of the provider.
    /// - Throws: `CancellationError`; then it is still to be verified.
    package static func verifying(
        _ credential: Credential, at relyingParty: @Sendable () async throws -> RelyingParty,
        translating translated: @Sendable (any Error) -> any Error = { $0 }
    ) async throws -> RefreshVerification {
        guard let idToken = RefreshedIDToken(of: credential) else { return .verified(credential) }
        let verification = try await RefreshVerification.of(credential, translating: translated) {
            try await idToken.verified(by: relyingParty())
        }
        return verification ?? .verified(credential)
    }
}

/// Who signed in, where a session remembers it beside its tokens: not every session has an ID token that says so.
package enum SessionSubject {
    /// The name among the details of a credential.
    package static let detail = "subject"

    /// The `sub` of the person.
    static func of(_ credential: Credential) -> String? {
        credential.details[detail]?.stringValue
    }
}
