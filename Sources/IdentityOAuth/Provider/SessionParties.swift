import Foundation
import IdentityKit

/// Which client a provider is at its server: the one that it was given, or one that has registered itself. A session
/// belongs to the client that began it, also when another one is registered later.
struct SessionParties: Sendable {
    private let server: OAuthServer
    private let clients: RegisteredClients?
    private let keys: SessionKeys
    let discovered: DiscoveredRelyingParty

    init(_ server: OAuthServer, keys: SessionKeys, in environment: IdentityEnvironment) {
        self.server = server
        self.keys = keys
        discovered = server.relyingParty(in: environment)
        clients = server.registration.map {
            RegisteredClients($0, for: server, in: environment)
        }
    }

    var origin: SessionOrigin {
        clients == nil
            ? SessionOrigin(type: server.type, backend: server.backend, clientID: server.client.id)
            : .anyClient(ofType: server.type, at: server.backend)
    }

    /// The name, among the details of a credential, of the server that issued it, where that is not the session's backend.
    static let issuer = "issuer"

    /// `party` as the client that began a session, with the session's key.
    /// - Throws: ``OAuthError/invalidMetadata(_:)`` when another server issued its tokens: they are not sent to this one.
    ///   ``OAuthError/invalidRegistration(_:)`` when the client is not known any more, ``/IdentityCore/TokenStoreError``.
    private func acting(_ party: RelyingParty, for credential: Credential) async throws -> RelyingParty {
        if let issuer = credential.details[Self.issuer]?.stringValue { try party.metadata.requireIssuer(issuer) }
        return try await acting(party, as: credential.clientID).proving(credential, by: keys)
    }

    /// `party` as the client that began a flow, with the flow's key.
    /// - Throws: ``OAuthError/invalidRegistration(_:)`` when the client is not known any more,
    ///   ``/IdentityCore/TokenStoreError``.
    func acting(_ party: RelyingParty, for flow: PendingAuthorization) async throws -> RelyingParty {
        try await acting(party, as: flow.clientID).proving(flow, by: keys)
    }

    private func acting(_ party: RelyingParty, as clientID: String?) async throws -> RelyingParty {
        guard let clients else { return party }
        return party.acting(as: try await clients.client(clientID ?? "", at: party.metadata))
    }

    /// The client at the server that a session's tokens were issued to.
    /// - Throws: as ``acting(_:for:)``, and what the discovery throws.
    func party(of credential: Credential) async throws -> RelyingParty {
        try await acting(discovered.relyingParty, for: credential)
    }

    /// Whether a flow was started here, by a client that will be found.
    func started(_ flow: PendingAuthorization, at party: RelyingParty) -> Bool {
        clients == nil ? party.started(flow) : flow.issuer?.hasBytes(of: party.metadata.issuer) == true
    }

    struct SignIn: Sendable {
        let party: RelyingParty
        let scopes: [String]
        var redirectURI: URL?
    }

    /// A sign-in in a browser.
    /// - Parameters:
    ///   - browser: shows the page.
    ///   - redirectURI: where it returns to, as configured.
    ///   - scopes: what is asked for beside the scopes of a session.
    ///   - session: the session that the tokens continue; `nil` for a new one.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, or what the browser or the transport throws.
    func signIn(
        in browser: any WebAuthenticator, returningTo redirectURI: URL, adding scopes: Set<String>,
        to session: Credential?
    ) async throws -> SignIn {
        let party = try await discovered.relyingParty.proving(session, by: keys)
        let scopes = server.scopes(at: party).adding(scopes)
        guard let clients, clients.describedClient(at: party.metadata) == nil else {
            return SignIn(
                party: try await acting(party, as: server.registration?.metadataDocument?.absoluteString),
                scopes: scopes, redirectURI: try await browser.redirectURI(for: redirectURI))
        }
        let address = try await clients.address(at: party.metadata, in: browser, for: redirectURI)
        let client = try await clients.client(at: party.metadata, returningTo: address, scopes: scopes)
        return SignIn(party: party.acting(as: client), scopes: scopes, redirectURI: address)
    }

    /// A sign-in on another device.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, or what the transport throws.
    func deviceSignIn(adding scopes: Set<String>, to session: Credential?) async throws -> SignIn {
        let party = try await discovered.relyingParty.proving(session, by: keys)
        let scopes = server.scopes(at: party).adding(scopes)
        guard let clients else { return SignIn(party: party, scopes: scopes) }
        let described = clients.describedClient(at: party.metadata)
        let client =
            if let described { described } else {
                try await clients.client(at: party.metadata, returningTo: nil, scopes: scopes)
            }
        return SignIn(party: party.acting(as: client), scopes: scopes)
    }

    /// Asks for what a sign-in needs of the server before its page or its code is shown. No client is registered.
    /// - Throws: what the sign-in would throw.
    func examine() async throws -> ExaminedServer {
        let party = try await discovered.relyingParty
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
        if let clients, clients.describedClient(at: metadata) == nil {
            _ = try clients.registrationEndpoint(of: metadata)
        }
        return ExaminedServer(address: server.backend, namesItself: metadata.sendsIssuerInAuthorizationResponse)
    }

    /// Refreshes a session. When the server has forgotten a client that registered itself, nobody can use its refresh token,
    /// and the next sign-in registers anew.
    /// - Throws: whatever leaves the refresh token in doubt, and why it was not sent.
    func refresh(_ credential: Credential, in context: RefreshContext) async throws -> RefreshResult {
        let result = try await discovered.refresh(
            credential, in: context, by: { try await acting($0, for: credential) })
        guard let clients, case .misconfigured(let error as OAuthError) = result, error.isUnknownClient,
            let metadata = discovered.knownRelyingParty?.metadata, let id = credential.clientID
        else { return result }
        return .clientUnknown(error) { try? await clients.forget(id, at: metadata) }
    }

    /// Verifies the ID token that a refresh could not verify without a request.
    /// - Throws: `CancellationError`.
    func verify(_ credential: Credential, in context: RefreshContext) async throws -> RefreshVerification {
        try await discovered.verify(credential, in: context, by: { try await acting($0, for: credential) })
    }
}
