import Foundation
import IdentityKit

extension OAuthConnection {
    struct SignIn: Sendable {
        let party: RelyingParty
        let scopes: [String]
        let redirectURI: URL?
        /// The session that the tokens continue; `nil` also for one of another server, which must not be reused.
        let session: Credential?
    }

    /// Whether the flow was started by this app's client at this server, or by one that it has registered.
    func started(_ flow: PendingAuthorization, at party: RelyingParty) -> Bool {
        server.registration == nil ? party.started(flow) : flow.issuer?.hasBytes(of: party.metadata.issuer) == true
    }

    /// Prepares a sign-in, and registers a client if there is none.
    /// - Parameters:
    ///   - scopes: the scopes in addition to those of every session.
    ///   - session: the session that the tokens continue; `nil` for a new one.
    ///   - page: the browser and the configured redirect URI; `nil` for a sign-in on another device.
    ///   - kept: the configured scopes to ask for; `nil` for all.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, or what the browser or the transport throws.
    func prepareSignIn(
        adding scopes: Set<String>, to session: Credential?,
        in page: (browser: any WebAuthenticator, redirectURI: URL)? = nil, keeping kept: Set<String>? = nil
    ) async throws -> SignIn {
        let found = try await relyingParty
        try await requireConsent(to: found)
        let session = session.flatMap { isOf($0, found) ? $0 : nil }
        let party = try proving(found, session)
        let scopes = server.scopes(at: party).filter { kept?.contains($0) ?? true }.adding(scopes)
        var client = describedClient(at: party.metadata)
        let registration = client == nil ? server.registration : nil
        var address: URL?
        if let (browser, redirectURI) = page {
            address =
                registration == nil
                ? try await browser.redirectURI(for: redirectURI)
                : try await registeredAddress(at: party.metadata, in: browser, for: redirectURI)
        }
        if let registration {
            client = try await registeredClient(
                registration, at: party.metadata, returningTo: address, scopes: scopes)
        }
        return SignIn(party: client.map(party.acting) ?? party, scopes: scopes, redirectURI: address, session: session)
    }

    /// Asks the person for consent if a resource names another authorization server than at the last sign-in, and
    /// remembers the server. Client credentials of a program are never sent to a new server without consent.
    /// - Throws: ``OAuthError/invalidResource(_:)`` where nobody can be asked, `CancellationError` when the person stops, and
    ///   ``/IdentityCore/TokenStoreError``.
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

    /// Forgets which server a resource named, so that the next sign-in accepts any. Errors are ignored: a sign-out must
    /// not fail because of it, and the next sign-in asks the person instead.
    func forgetServerOfResource() async {
        guard let resource = server.resource else { return }
        try? await ResourceMemory(resource, in: environment.store).note { $0.issuer = nil }
    }

    /// Fetches from the server what a sign-in needs before its page or its code is shown. No client is registered.
    /// - Throws: what the sign-in would throw.
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
            for endpoint in [.deviceAuthorization, .token] as [AuthorizationServerMetadata.Endpoint] {
                _ = try metadata.endpoint(endpoint)
            }
        }
        if server.registration != nil, describedClient(at: metadata) == nil {
            _ = try registrationEndpoint(of: metadata)
        }
        return ExaminedServer(address: server.backend, namesItself: metadata.sendsIssuerInAuthorizationResponse)
    }
}
