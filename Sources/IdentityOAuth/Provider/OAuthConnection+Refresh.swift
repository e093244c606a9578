import Foundation
import IdentityKit

extension OAuthConnection {
    /// Refreshes a session with its refresh token. If the server has forgotten a client that registered itself, the refresh
    /// token is useless, and the next sign-in registers a new client.
    /// - Parameters:
    ///   - credential: the session. A new ID token must be about the person that ``SessionSubject`` names, if it names one.
    ///   - context: sends the requests and records whether the refresh token was sent.
    ///   - translated: converts an error to an error of the provider's own type.
    /// - Throws: an error of the refresh request that leaves open whether the server has spent the refresh token; `context`
    ///   records whether the token was sent. An error of an earlier request, such as the discovery, becomes a result.
    package func refresh(
        _ credential: Credential, in context: RefreshContext,
        translating translated: @Sendable (any Error) -> any Error = { $0 }
    ) async throws -> RefreshResult {
        guard let refreshToken = credential.refreshToken else { return .refused(reason: "It cannot be refreshed.") }
        var party: RelyingParty
        do {
            party = try await context.preparing { try await self.party(of: credential) }
        } catch OAuthError.invalidRegistration(let reason) {
            return .personNeeded(translated(OAuthError.invalidRegistration(reason)), mayPass: false)
        } catch {
            // If the resource now names another authorization server, only a sign-in there helps.
            if let resource = server.resource, let known = knownRelyingParty, !isOf(credential, known) {
                let (former, issuer) = (issuer(of: credential) ?? "", known.metadata.issuer)
                let change = InvalidResourceReason.serverChanged(at: resource, from: former, to: issuer)
                return .personNeeded(translated(OAuthError.invalidResource(change)))
            }
            // The error comes from another request, such as discovery, so it decides nothing about the refresh token.
            return RefreshFailure(error) == .misconfigured
                ? .misconfigured(translated(error)) : .notSent(translated(error))
        }
        let wish = context.wish
        let key = wish?.key
        if let wish, let key { party.tokenParameters = wish.style.parameters(for: key, beside: party.tokenParameters) }
        let (acting, sentAt) = (party, party.time.now)
        do {
            let tokens = try await acting.requestRefresh(
                refreshToken, scopes: key.flatMap { wish?.style.scopes(for: $0, of: credential) },
                isBound: credential.isBound, using: context.spending)
            let refreshed = tokens.refreshing(
                credential, for: wish, isProvable: acting.introspectionEndpoint != nil)
            let faults = tokens.response.faults.map(\.description)
            let verification = try await RefreshVerification.of(refreshed, translating: translated) {
                try await RefreshedIDToken(of: refreshed)?.verifiedAtOnce(by: acting)
            }
            switch verification {
            case .verified(let credential, let dropped)?:
                return .refreshed(credential, dropping: dropped, faults: faults)
            // The refresh token is spent, and the new tokens are not for this session.
            case .refused(let reason)?: return .refused(reason: reason)
            case nil: return .refreshed(refreshed, faults: faults)
            }
        } catch let unusable as UnusableAccessTokenError {
            return .unusable(unusable.continuing(credential, sentAt: sentAt), translated(unusable.reason))
        } catch {
            switch RefreshFailure(error, final: acting.tokenResponseFormat.finalRefusals) {
            // Microsoft sends `invalid_grant` also when the person has not consented to this resource.
            case .refused where wish?.style.isByScopes == true: return .stepUpNeeded(translated(error))
            case .refused: return .refused(reason: Self.reason(of: error))
            case .personNeeded: return .personNeeded(translated(error))
            case .ambiguous: return .ambiguous(translated(error), kind: Self.kind(of: error))
            case .misconfigured:
                guard server.registration != nil, let id = credential.clientID,
                    let unknown = error as? OAuthError, unknown.isUnknownClient
                else { return .misconfigured(translated(error)) }
                return .clientUnknown(unknown) { try? await self.forget(id, at: acting.metadata) }
            case .stepUpNeeded: return .stepUpNeeded(translated(error))
            case .unspent(let retryAfter):
                return .unspent(
                    translated(error), retryAfter: retryAfter, isForAll: WaitRequest.isMadeToAll(by: error))
            case .unreadable:
                return .unreadable(translated(error), advice: (error as? OAuthError)?.adviceOnReading)
            case .inDoubt: throw translated(error)
            }
        }
    }

    /// Verifies the ID token of a refresh whose session had to be stored before the server's keys could be fetched.
    /// - Parameters:
    ///   - credential: the session as it was stored.
    ///   - context: limits the time of the requests for metadata and keys.
    ///   - translated: converts an error to an error of the provider's own type.
    /// - Throws: `CancellationError`; the ID token then stays unverified.
    package func verify(
        _ credential: Credential, in context: RefreshContext,
        translating translated: @Sendable (any Error) -> any Error = { $0 }
    ) async throws -> RefreshVerification {
        guard let idToken = RefreshedIDToken(of: credential) else { return .verified(credential) }
        let verification = try await RefreshVerification.of(credential, translating: translated) {
            try await context.preparing { try await idToken.verified(by: self.party(of: credential)) }
        }
        return verification ?? .verified(credential)
    }

    /// Asks the introspection endpoint for the audience of a token (RFC 7662).
    /// - Returns: `nil` if the client is public, if the server has no such endpoint or refuses the client, or if the
    ///   response has no `aud`.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, `RandomnessError`, `CancellationError`, or what the
    ///   transport throws.
    package func audience(
        of token: ResourceToken, in credential: Credential, _ context: RefreshContext
    ) async throws -> [String]? {
        try await context.preparing {
            let party = try await self.party(of: credential)
            guard let endpoint = party.introspectionEndpoint else { return nil }
            do {
                return try await IntrospectionRequest(
                    token: token.accessToken, tokenTypeHint: .accessToken, introspectionEndpoint: endpoint,
                    client: party.client
                ).send(using: context.transport).audience
            } catch OAuthError.refused(let refusal) where [400, 401, 403].contains(refusal.status) {
                // A busy server has not refused the client, whatever the status.
                let codes: [OAuthErrorCode] = [.serverError, .temporarilyUnavailable, .slowDown]
                if codes.contains(refusal.error) { throw OAuthError.refused(refusal) }
                return nil
            }
        }
    }

    private static func kind(of error: any Error) -> String? {
        guard case OAuthError.refused(let refusal) = error else { return nil }
        return [refusal.status.map(String.init), refusal.error.rawValue].compactMap { $0 }.joined(separator: " ")
    }

    private static func reason(of error: any Error) -> String {
        guard case OAuthError.refused(let refusal) = error else { return "The server no longer accepts it." }
        return "The server no longer accepts it." + refusal.quotation
    }
}

extension RelyingParty {
    /// The introspection endpoint (RFC 7662); `nil` if the server has none, and for public clients, which servers refuse.
    var introspectionEndpoint: URL? {
        client.authentication.method == .none ? nil : metadata.introspectionEndpoint
    }
}

/// The identifier of the person, stored in the session because not every session has an ID token. It is the `sub`, or at a
/// multi-tenant server ``IDToken/person``.
package enum SessionSubject {
    /// The key of the identifier among a credential's details.
    package static let detail = "subject"

    /// The stored identifier; `nil` if there is none, as for an account that is not identified by the `sub`.
    static func of(_ credential: Credential) -> String? {
        credential.details[detail]?.stringValue
    }
}
