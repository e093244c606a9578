import Foundation
import IdentityKit

extension OAuthConnection {
    struct SignIn: Sendable {
        let party: RelyingParty
        let scopes: [String]
        let redirectURI: URL?
        /// The session that the new tokens continue. `nil` for a new session, and for a session of another server,
        /// because that server's tokens must not be reused here.
        let session: Credential?
    }

    /// Whether `flow` was started at the server of `party` and, if the client's identifier is configured, by this client. The
    /// identifier of a client that registers itself may have changed since then, so for it only the issuer is compared.
    func started(_ flow: PendingAuthorization, at party: RelyingParty) -> Bool {
        server.registration == nil ? party.started(flow) : flow.issuer?.hasBytes(of: party.metadata.issuer) == true
    }

    /// Prepares a sign-in: discovers the server, asks for consent to a changed server, and registers a client if there is
    /// none.
    /// - Parameters:
    ///   - scopes: the scopes to ask for in addition to the configured ones.
    ///   - session: the session that the tokens continue; `nil` for a new session.
    ///   - page: the browser and the configured redirect URI. The browser is `nil` if the page opens in a browser that is not
    ///     on this machine. The tuple is `nil` for a sign-in on another device, and for a sign-in with a vendor's token.
    ///   - kept: the configured scopes that the sign-in may ask for; `nil` for all of them.
    /// - Throws: as ``requireConsent(to:asksPerson:)`` and ``registeredClient(_:at:returningTo:scopes:)``, or what the
    ///   discovery or the browser throws.
    func prepareSignIn(
        adding scopes: Set<String>, to session: Credential?,
        in page: (browser: (any WebAuthenticator)?, redirectURI: URL)? = nil, keeping kept: Set<String>? = nil
    ) async throws -> SignIn {
        let found = try await relyingParty
        try await requireConsent(to: found)
        let session = session.flatMap { isOf($0, found) ? $0 : nil }
        let party = try proving(found, session)
        let scopes = server.scopes(at: party).filter { kept?.contains($0) ?? true }.adding(scopes)
        var client = describedClient(at: party.metadata)
        let registration = client == nil ? server.registration : nil
        var address: URL?
        if let browser = page?.browser, let redirectURI = page?.redirectURI {
            address =
                registration == nil
                ? try await browser.redirectURI(for: redirectURI)
                : try await registeredAddress(at: party.metadata, in: browser, for: redirectURI)
        } else {
            address = page?.redirectURI
        }
        if let registration {
            client = try await registeredClient(
                registration, at: party.metadata, returningTo: address, scopes: scopes)
        }
        return SignIn(party: client.map(party.acting) ?? party, scopes: scopes, redirectURI: address, session: session)
    }

    /// Asks the person for consent if the resource names another authorization server than at the last sign-in. If the person
    /// agrees or no consent is needed, stores the issuer of the server.
    /// - Parameter asksPerson: `false` for a program without a person, whose client credentials must not reach a new server
    ///   without consent.
    /// - Throws: ``OAuthError/invalidResource(_:)`` for another server when nobody can be asked, `CancellationError` when the
    ///   person stops, ``/IdentityCore/TokenStoreError``, or what the environment's prompter throws.
    func requireConsent(to party: RelyingParty, asksPerson: Bool = true) async throws {
        guard let resource = server.resource else { return }
        let (memory, issuer) = (ResourceMemory(resource, in: environment.store), party.metadata.issuer)
        if let former = try await memory.known().issuer, !former.hasBytes(of: issuer) {
            let change = InvalidResourceReason.serverChanged(at: resource, from: former, to: issuer)
            guard asksPerson, let prompter = environment.prompter else { throw OAuthError.invalidResource(change) }
            let answer = try await prompter.answer(
                SignInPrompt(
                    provider: server.type, message: change.question, fields: [],
                    actions: [
                        SignInPrompt.Action(identifier: "stop", label: "Stop"),
                        SignInPrompt.Action(identifier: "continue", label: "Continue"),
                    ]))
            guard answer.action == "continue" else { throw CancellationError() }
        }
        try await memory.note { $0.issuer = issuer }
    }

    /// Forgets which authorization server the resource named, so that the next sign-in accepts any server. Errors are ignored,
    /// because a sign-out must not fail for them. After an error, the next sign-in asks the person about a changed server.
    func forgetServerOfResource() async {
        guard let resource = server.resource else { return }
        try? await ResourceMemory(resource, in: environment.store).note { $0.issuer = nil }
    }

    /// Discovers the server and checks that it has the endpoints that a sign-in needs. No client is registered.
    /// - Throws: ``OAuthError``, such as for a missing endpoint, `RandomnessError`, `CancellationError`, or what the
    ///   discovery throws.
    func examine() async throws -> ExaminedServer {
        let party = try await relyingParty
        let metadata = party.metadata
        switch server.method {
        case .browser:
            guard let redirectURI = server.redirectURI else { break }
            _ = try party.authorizationRequest(redirectURI: redirectURI, scopes: server.scopes(at: party))
            if server.pushesAuthorizationRequests == true || metadata.requiresPushedAuthorizationRequests {
                _ = try metadata.endpoint(.pushedAuthorizationRequest)
            }
        case .device:
            for endpoint in [.deviceAuthorization, .token] as [ServerEndpoint] {
                _ = try metadata.endpoint(endpoint)
            }
        }
        if server.registration != nil, describedClient(at: metadata) == nil {
            _ = try registrationEndpoint(of: metadata)
        }
        return ExaminedServer(address: server.backend, namesItself: metadata.sendsIssuerInAuthorizationResponse)
    }
}
