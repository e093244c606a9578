import Foundation

extension IdentityClient {
    /// Sends `request` for `account`. After a 401 it is sent once more with another token, and before that once with what
    /// the server asks for, such as a nonce in a proof.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, otherwise what the provider or the
    ///   transport throws. The last 401 is returned.
    func send(
        _ request: URLRequest, for account: AccountID, of chain: IdentityProviderChain, scopes: Set<String>
    ) async throws -> (Data, HTTPURLResponse) {
        try request.checkMayCarryToken()
        let (transport, place) = (environment.transport, ResourceRefusals.Place(account, at: request.url))
        var request = try await chain.authorize(request, for: account, scopes: scopes)
        var (data, response) = try await transport.data(for: request)
        for _ in 1...2 where response.statusCode == 401 {
            let again = try await reauthorize(request, after: response, for: account, of: chain, scopes: scopes)
            guard let again else { break }
            let hasNewToken = again.authorization != request.authorization
            request = again
            (data, response) = try await transport.data(for: request)
            if hasNewToken { break }
        }
        if response.refusesToken { await noteRefusal(of: request.authorization, at: place, chain) }
        if (200..<300).contains(response.statusCode), refusals.taken(place) { await tell(nil, of: place, chain) }
        return (data, response)
    }

    /// `request`, which was refused, with another token or what the server asks for; `nil` when there is none. A resource
    /// that refuses new tokens too gets the one that there is, and causes no refresh while it rests.
    /// - Throws: what the provider throws.
    func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for account: AccountID,
        of chain: IdentityProviderChain, scopes: Set<String>
    ) async throws -> URLRequest? {
        let place = ResourceRefusals.Place(account, at: request.url)
        // Read before, so that nothing comes between the refresh and its note.
        let stored = await storedCredential(of: account, at: chain)
        refusals.learn(place, stored?.rest(of: place))
        if request.hasAccessToken, response?.refusesProof != true, refusals.rests(place, at: environment.time.now) {
            await noteRefusal(of: request.authorization, at: place, chain)
            let current = try await chain.authorize(request, for: account, scopes: scopes)
            let isNews = current.authorization != request.authorization
            return isNews && !refusals.hasRefused(place, current.authorization) ? current : nil
        }
        let life = stored.flatMap { credential in credential.expiresAt?.timeIntervalSince(credential.issuedAt) }
        let again = try await chain.reauthorize(request, after: response, for: account, scopes: scopes)
        if let again, again.authorization != request.authorization {
            refusals.refreshed(
                place, with: again.authorization, after: request.authorization, lasting: life ?? 3600,
                at: environment.time.now)
        }
        return again
    }

    private func noteRefusal(
        of authorization: String?, at place: ResourceRefusals.Place, _ chain: IdentityProviderChain
    ) async {
        if let rest = refusals.refused(place, authorization) { await tell(rest, of: place, chain) }
    }

    /// Stores with the session when the resource causes no refresh; that it takes tokens again for `nil`.
    private func tell(_ rest: Range<Date>?, of place: ResourceRefusals.Place, _ chain: IdentityProviderChain) async {
        guard let sessions = chain.sessions(of: place.account),
            let stored = try? await sessions.storedCredential(of: place.account)
        else { return }
        // If this cannot be stored, another process asks for one refresh more.
        try? await sessions.remember(stored.detailsWith(rest, of: place), for: place.account)
    }

    /// The result of letting the person do what `response` asks for: whether the request is worth repeating. One who has
    /// signed in for a resource that refuses every token is not asked again in that session.
    /// - Throws: what the provider throws when the user did not sign in.
    func askPerson(
        for request: URLRequest, refusedBy response: HTTPURLResponse, _ acting: ClientState.Acting,
        in context: CallerContext
    ) async throws -> Bool {
        func ask() async throws -> Bool {
            try await acting.chain.requestAuthorization(for: acting.account, askedBy: response, in: context)
        }
        guard response.refusesToken else { return try await ask() }
        let place = ResourceRefusals.Place(acting.account, at: request.url)
        func session() async -> Date? { await storedCredential(of: acting.account, at: acting.chain)?.signedInAt }
        if refusals.hasAsked(place, in: await session()) { return false }
        do {
            let isWorthRepeating = try await ask()
            if isWorthRepeating { refusals.asked(place, in: await session()) }
            return isWorthRepeating
        } catch {
            refusals.asked(place, in: await session())
            throw error
        }
    }

    private func storedCredential(of account: AccountID, at chain: IdentityProviderChain) async -> Credential? {
        try? await chain.sessions(of: account)?.storedCredential(of: account)
    }
}
