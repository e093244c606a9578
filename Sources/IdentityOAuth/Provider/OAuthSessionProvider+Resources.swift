import Foundation
import IdentityKit

/// Consent for additional resources: by a new authorization that names all resources of the session, or by a second
/// authorization beside the first.
extension OAuthSessionProvider {
    /// Ensures that the session can get a token for `resource` with `scopes`, by asking the person if necessary.
    ///
    /// Usually the sign-in asks for everything that the session has already, and for `resource` and `scopes` (RFC 8707). The
    /// sign-in asks for `resource` alone, and the session then keeps a second authorization with its own refresh token, if one
    /// of the following is true:
    /// - The server accepts only one resource in a request, as its settings or its error `invalid_target` say.
    /// - The session was granted without a resource.
    /// - The session already has a second authorization for `resource`.
    ///
    /// - Throws: ``/IdentityCore/SessionError`` when the session cannot be used, still gets no token, or no sign-in can be
    ///   shown. ``OAuthError`` when the sign-in fails, or when another person signed in, whose tokens are then discarded.
    ///   `CancellationError` when the user gives up. ``/IdentityCore/TokenStoreError``, an error with the code
    ///   `randomness_unavailable`, or what the transport or a part of the environment throws, such as the browser.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, resource: String, in context: CallerContext
    ) async throws {
        do {
            _ = try await sessions.accessToken(for: accountID, scopes: scopes, resource: resource)
            return
        } catch let error as SessionError {
            switch error {
            case .insufficientScope, .resourceNotGranted, .stepUpNeeded, .suspended: break
            default: throw error
            }
            guard server.tokensByResource.givesApart, resource.isResource, server.account.knowsPersonByTokens,
                let current = try await sessions.storedCredential(of: accountID),
                try await authorize(scopes, for: resource, in: current, of: accountID) != nil
            else { throw error }
        }
        _ = try await sessions.accessToken(for: accountID, scopes: scopes, resource: resource)
    }

    /// Asks the person for `scopes` of `resource`.
    /// - Returns: `nil` when no sign-in can be shown.
    private func authorize(
        _ scopes: Set<String>, for resource: String, in current: Credential, of account: AccountID
    ) async throws -> AccountID? {
        let style = server.tokensByResource
        let known = current.authorization(for: resource, scopes, by: style, at: environment.time.now)
        if style.takesSeveral, !known.isApart, !current.agreedResources.isEmpty {
            let resources = current.agreedResources.union(current.tokens.compactMap { $0.key?.resource }).union([
                resource
            ])
            let all = (current.agreedScopes ?? current.scopes).union(scopes)
            do {
                let stepUp = StepUp(account: account, session: current, resources: resources)
                return try await beginSession(adding: all, again: stepUp)
            } catch OAuthError.refused(let refusal) where refusal.error == .invalidTarget {
                // The server accepts only one resource per request, so ask only for `resource`.
            }
        }
        let asked = style.asked(scopes, beside: known.scopes, for: TokenKey(resource: resource))
        return try await beginSession(
            adding: asked, again: StepUp(account: account, session: current, apart: resource))
    }

    /// Adds to a session another authorization by the same person, for one resource.
    /// - Throws: ``/IdentityCore/SessionError`` when the token is not for `resource` or the session has ended, ``OAuthError``
    ///   when another person signed in, and ``/IdentityCore/TokenStoreError``.
    func add(
        _ tokens: TokenSet, at party: RelyingParty, to account: AccountID, for resource: String,
        _ asked: AskedAuthorization
    ) async throws -> AccountID {
        let style = server.tokensByResource
        var credential = tokens.credential(backend: server.backend, clientID: party.client.id)
        credential.note(issuer: party.metadata.issuer, besides: server.backend)
        let subject = try server.account.subject(of: tokens, expecting: account.account)
        if party.idTokensNameAccounts { credential.details[SessionSubject.detail] = .string(subject) }
        let key = style.key(of: resource, asked.scopes)
        let isProvable = party.introspectionEndpoint != nil
        guard let added = style.authorization(credential, apartFor: key, isProvable: isProvable) else {
            await sessions.drop(credential, of: account)
            throw SessionError.resourceNotGranted(
                account, resource: resource, reason: "The server's token is for something else.", nextAttempt: nil)
        }
        try await sessions.add(added, to: account)
        return account
    }

    /// The configured scopes that the sign-in for `stepUp` may ask for; `nil` for all of them.
    func scopesKept(for stepUp: StepUp?) -> Set<String>? {
        // Microsoft refuses scopes of several resources in one request.
        stepUp?.apart != nil && server.tokensByResource.isByScopes
            ? ["openid", "profile", "email", "offline_access"] : nil
    }
}

/// The scopes and resources that a sign-in asked for. They decide how the tokens of the sign-in are stored.
struct AskedAuthorization: Sendable {
    let scopes: [String]
    let resources: [String]
    /// The resource of a second authorization, beside the session's first one; `nil` for the session's own tokens.
    let apart: String?

    /// Whether the request named more resources than the configuration does.
    func isWiderThan(_ options: AuthorizationOptions, at party: RelyingParty, _ backend: String) -> Bool {
        let usual = options.with(resource: party.resource, for: backend).resources
        return Set(resources).isStrictSuperset(of: usual)
    }
}

extension AskedAuthorization {
    init(_ flow: PendingAuthorization) {
        self.init(scopes: flow.scopes, resources: flow.resources ?? [], apart: flow.apart)
    }
}

extension OAuthSessionProvider.StepUp {
    /// Returns the options of the request. If ``apart`` is set, they are for that resource alone. Otherwise they are `options`
    /// with ``resources`` added.
    func naming(_ options: AuthorizationOptions, by style: TokensByResource) -> AuthorizationOptions {
        if let apart { return style.options(options, apartFor: apart) }
        var options = options
        options.resources += resources.subtracting(options.resources).sorted()
        return options
    }
}

extension RelyingParty {
    /// Returns a client whose token requests ask only for `resource`; unchanged for `nil`.
    func asking(for resource: String?, by style: TokensByResource) -> RelyingParty {
        guard let resource else { return self }
        var party = self
        party.tokenParameters = style.parameters(for: TokenKey(resource: resource), beside: tokenParameters)
        return party
    }
}

extension Credential {
    /// Records the issuer of the tokens in ``details``, if it is not the session's backend.
    mutating func note(issuer: String, besides backend: String) {
        if !issuer.hasBytes(of: backend) { details[OAuthConnection.issuer] = .string(issuer) }
    }

    /// The scopes that the person has authorized for `resource`, and whether they belong to a second authorization.
    fileprivate func authorization(
        for resource: String, _ scopes: Set<String>, by style: TokensByResource, at now: Date
    ) -> (scopes: Set<String>, isApart: Bool) {
        let id = grant(for: TokenWish(resource, scopes: scopes, by: style), at: now)
        if let known = grants.first(where: { $0.id == id })?.credential {
            return (known.agreedScopes ?? known.scopes, true)
        }
        return (tokens.filter { $0.key?.resource == resource }.reduce(into: []) { $0.formUnion($1.scopes) }, false)
    }
}

extension TokensByResource {
    /// Whether the server supports a second authorization of the same person for another resource.
    fileprivate var givesApart: Bool { takesSeveral || self == .auth0 || self == .entra }

    /// The scopes to ask for: the granted and the new ones. Microsoft Entra ID adds new scopes to the granted ones, so only
    /// the missing ones are named there, or `.default` if none is missing.
    fileprivate func asked(_ scopes: Set<String>, beside granted: Set<String>, for key: TokenKey) -> Set<String> {
        guard isByScopes else { return granted.union(scopes) }
        let missing = scopes.filter { !granted.contains($0) && !granted.contains(key.qualified($0)) }
        return Set((missing.isEmpty ? [".default"] : missing).map { key.qualified($0) })
    }

    /// The key under which the token of a sign-in for the scopes `asked` is stored.
    fileprivate func key(of resource: String, _ asked: [String]) -> TokenKey {
        let prefix = TokenKey(resource: resource).qualified("")
        let own = asked.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        return TokenKey(resource: resource, scopes: isByScopes ? Set(own) : [])
    }
}

extension AccountSource {
    /// Whether the account is known without a further request: by the token response, or because it has a fixed name. A further
    /// request, such as one to userinfo, would send the token to a resource for which it was not issued.
    fileprivate var knowsPersonByTokens: Bool {
        if case .request = self { false } else { true }
    }

    /// The identifier of the person who signed in, from the token response only.
    /// - Throws: ``OAuthError`` when the response names another person than `expected`, or nobody.
    fileprivate func subject(of tokens: TokenSet, expecting expected: String) throws -> String {
        switch self {
        case .idToken:
            guard let idToken = tokens.idToken else { throw OAuthError.invalidIDToken(.missing) }
            guard idToken.person.hasBytes(of: expected) else { throw OAuthError.invalidIDToken(.subjectMismatch) }
            return idToken.person
        case .tokenResponse(let identifier, let profile):
            return try person(in: .object(tokens.response.document), identifier, profile, expecting: expected).subject
        case .named: return expected
        case .request: throw OAuthError.invalidUserInfo(.subjectMismatch)
        }
    }
}
