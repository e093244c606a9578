import Foundation

extension IdentityClient {
    /// A function that sends a request and returns the response. The body is returned whole, or is read while it
    /// arrives.
    typealias Sending<Body> = @Sendable (any HTTPTransport, URLRequest) async throws -> (Body, HTTPURLResponse)

    /// Returns the transport for requests that carry tokens of `provider`. In addition to the usual certificates, this
    /// transport trusts those in the provider's settings.
    func transport(ofProvider provider: String) -> any HTTPTransport {
        state.withLock { $0.setup }?.transport(for: provider) ?? environment.transport
    }

    /// Returns `transport`, or one with the same limits that also trusts the certificates in the settings of the provider
    /// of `account`.
    package func trusting(_ transport: any HTTPTransport, as account: AccountID) -> any HTTPTransport {
        let snapshot = state.withLock { $0 }
        return transport.adding(snapshot.setup?.certificates[snapshot.chain.name(of: account)])
    }

    /// Sends `request` for `account`. After a 401 the request is repeated, at most twice: with what the server asks for,
    /// such as a nonce in the proof of possession, and then with another token. A request with a body that can be read only
    /// once is not repeated: the 401 is returned, and the token is replaced for the next request.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, otherwise what the provider or
    ///   the transport throws. A 401 that remains is the result and no error.
    func send<Body>(
        _ request: URLRequest, for account: AccountID, of chain: IdentityProviderChain, scopes: Set<String>,
        by sending: Sending<Body>
    ) async throws -> (Body, HTTPURLResponse) {
        try request.checkMayCarryToken()
        let transport = transport(ofProvider: chain.name(of: account))
        let place = ResourceRefusals.Place(account, at: request.url)
        var request = try await chain.authorize(request, for: account, scopes: scopes)
        var (body, response) = try await sending(transport, request)
        for _ in 1...2 where response.statusCode == 401 {
            guard request.canBeSentAgain else {
                // Replace the token for the next request. Ignore errors, because the caller has to get the response.
                _ = try? await reauthorize(request, after: response, for: account, of: chain, scopes: scopes)
                break
            }
            let again = try await reauthorize(request, after: response, for: account, of: chain, scopes: scopes)
            guard let again else { break }
            let hasNewToken = again.authorization != request.authorization
            request = again
            (body, response) = try await sending(transport, request)
            if hasNewToken { break }
        }
        if response.refusesToken { await noteRefusal(of: request.authorization, at: place, chain) }
        if (200..<300).contains(response.statusCode), refusals.taken(place) { await report(nil, of: place, chain) }
        return (body, response)
    }

    /// Sends `request` for `account`. When `account` is `nil`, chooses the account as
    /// ``data(for:as:scopes:mayShowSignIn:)`` does.
    /// - Throws: as `send(_:for:of:scopes:by:)`, and what finding the account throws.
    func send<Body>(
        _ request: URLRequest, as account: AccountID?, scopes: Set<String>, by sending: Sending<Body>
    ) async throws -> (Body, HTTPURLResponse) {
        try await acting(for: request, as: account, scopes) {
            try await send(request, for: $0.account, of: $0.chain, scopes: scopes, by: sending)
        }
    }

    /// Sends `request`, and lets the user sign in where needed, as ``data(for:as:scopes:mayShowSignIn:)`` describes.
    /// - Throws: as ``data(for:as:scopes:mayShowSignIn:)``.
    func send<Body>(
        _ request: URLRequest, as account: AccountID?, scopes: Set<String>, mayShowSignIn: Bool,
        by sending: Sending<Body>
    ) async throws -> (Body, HTTPURLResponse) {
        guard mayShowSignIn else { return try await send(request, as: account, scopes: scopes, by: sending) }
        try request.checkMayCarryToken()
        let (body, response): (Body, HTTPURLResponse)
        var hasSignedIn = false
        let snapshot = state.withLock { $0 }
        let named =
            try account == nil ? snapshot.setup?.destinations.others(than: snapshot.chain, at: request.url) : nil
        let isKnown = if account != nil || named != nil { true } else { try await self.account(scopes: scopes) != nil }
        do {
            guard isKnown else { throw ClientError.notSignedIn("") }
            (body, response) = try await send(request, as: account, scopes: scopes, by: sending)
        } catch let error where error.asksForSignIn {
            if let anonymous = try await anonymous(request, by: sending) { return anonymous }
            hasSignedIn = true
            try await showSignIn(for: request, as: account, after: error, scopes: scopes)
            (body, response) = try await send(request, as: account, scopes: scopes, by: sending)
        }
        // After a 401 that asks for no stronger sign-in, ask the person only if this call has not shown a sign-in yet, and can
        // repeat the request. If the request cannot be repeated and the session has ended, the next request shows the sign-in
        // before it is sent.
        let isNews = !hasSignedIn && request.canBeSentAgain
        guard [401, 403].contains(response.statusCode), isNews || response.asksForMore else { return (body, response) }
        let context = try await context(scopes, stores: true)
        let isWorthRepeating = try await acting(for: request, as: account, scopes) {
            try await askPerson(for: request, refusedBy: response, $0, in: context)
        }
        guard isWorthRepeating, request.canBeSentAgain else { return (body, response) }
        return try await send(request, as: account, scopes: scopes, by: sending)
    }

    /// Prepares `request`, which was refused, to be sent again with another token or with what the server asks for;
    /// `nil` when there is nothing else to try. During the pause that ``ResourceRefusals`` keeps for the resource, a refused
    /// token is not refreshed. The request is then sent again only if the session has another token meanwhile.
    /// - Throws: what the provider throws.
    func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for account: AccountID,
        of chain: IdentityProviderChain, scopes: Set<String>
    ) async throws -> URLRequest? {
        let place = ResourceRefusals.Place(account, at: request.url)
        // Read the session before the refresh, so that the refresh can be recorded as soon as it ends, without another `await`.
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
        if let rest = refusals.refused(place, authorization) { await report(rest, of: place, chain) }
    }

    /// Stores the pause of a resource in the session, so that other processes know it. During the pause, refusals of
    /// the resource cause no refresh.
    /// - Parameter rest: the pause; `nil` erases the stored pause, because the resource accepts tokens again.
    private func report(_ rest: Range<Date>?, of place: ResourceRefusals.Place, _ chain: IdentityProviderChain) async {
        guard let sessions = chain.sessions(of: place.account),
            let stored = try? await sessions.storedCredential(of: place.account)
        else { return }
        // Ignore an error. If the pause cannot be stored, another process makes one superfluous refresh.
        try? await sessions.remember(stored.detailsWith(rest, of: place), for: place.account)
    }

    /// Lets the person do what `response` asks for, and returns whether the request is worth repeating. If the resource refuses
    /// the token itself, the person is asked only once: not again in the same session after declining, and not again in the new
    /// session after signing in. Concurrent requests share a question, until all of them are cancelled.
    /// - Throws: what the provider throws when the user did not sign in.
    func askPerson(
        for request: URLRequest, refusedBy response: HTTPURLResponse, _ acting: ClientState.Acting,
        in context: CallerContext
    ) async throws -> Bool {
        let place = ResourceRefusals.Place(acting.account, at: request.url)
        let question = ResourceRefusals.Question(place, refusedBy: response, in: context)
        return try await questions.value(for: question, whenAbandoned: .cancel) {
            try await self.askUnshared(place, refusedBy: response, acting, in: context)
        }
    }

    /// Asks as ``askPerson(for:refusedBy:_:in:)`` does, for all requests that share the question.
    /// - Throws: as ``askPerson(for:refusedBy:_:in:)``.
    private func askUnshared(
        _ place: ResourceRefusals.Place, refusedBy response: HTTPURLResponse, _ acting: ClientState.Acting,
        in context: CallerContext
    ) async throws -> Bool {
        func ask() async throws -> Bool {
            try await acting.chain.requestAuthorization(for: acting.account, askedBy: response, in: context)
        }
        guard response.refusesToken else { return try await ask() }
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

extension URLRequest {
    /// Whether the body, if there is one, can be read a second time.
    var canBeSentAgain: Bool { httpBodyStream == nil }
}
