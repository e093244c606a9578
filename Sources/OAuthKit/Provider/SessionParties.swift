import Foundation
import IdentityKit

/// Which client a provider is at its server: the one that it was given, or one that has registered itself. A session
/// belongs to the client that began it, also when another one is registered later.
struct SessionParties: Sendable {
    private let server: OAuthServer
    private let clients: RegisteredClients?
    let discovered: DiscoveredRelyingParty

    init(_ server: OAuthServer, _ discovered: DiscoveredRelyingParty, in environment: IdentityEnvironment) {
        self.server = server
        self.discovered = discovered
        clients = server.registration.map {
            RegisteredClients($0, for: server, in: environment)
        }
    }

    /// Where its sessions come from.
    var origin: SessionOrigin {
        clients == nil
            ? SessionOrigin(type: server.type, backend: server.backend, clientID: server.client.id)
            : .anyClient(ofType: server.type, at: server.backend)
    }

    /// `party` as the client that began a session, or a flow.
    /// - Throws: ``OAuthError/invalidRegistration(_:)`` when that is not known any more, ``/IdentityKit/TokenStoreError``.
    func acting(_ party: RelyingParty, as clientID: String?) async throws -> RelyingParty {
        guard let clients else { return party }
        return party.acting(as: try await clients.client(clientID ?? "", at: party.metadata))
    }

    /// The client at the server that a session's tokens were issued to.
    /// - Throws: as ``acting(_:as:)``, and what the discovery throws.
    func party(of credential: Credential) async throws -> RelyingParty {
        try await acting(discovered.relyingParty, as: credential.clientID)
    }

    /// Whether a flow was started here, by a client that will be found.
    func started(_ flow: PendingAuthorization, at party: RelyingParty) -> Bool {
        clients == nil ? party.started(flow) : flow.issuer?.hasBytes(of: party.metadata.issuer) == true
    }

    /// The client for a sign-in in a browser, and where the browser returns to.
    /// - Throws: ``OAuthError``, ``/IdentityKit/TokenStoreError``, or what the browser or the transport throws.
    func signIn(
        in browser: any WebAuthenticator, returningTo redirectURI: URL, scopes: [String]
    ) async throws -> (party: RelyingParty, redirectURI: URL) {
        let party = try await discovered.relyingParty
        guard let clients, clients.describedClient(at: party.metadata) == nil else {
            return (
                try await acting(party, as: server.registration?.metadataDocument?.absoluteString),
                try await browser.redirectURI(for: redirectURI)
            )
        }
        let address = try await clients.address(at: party.metadata, in: browser, for: redirectURI)
        let client = try await clients.client(at: party.metadata, returningTo: address, scopes: scopes)
        return (party.acting(as: client), address)
    }

    /// The client for a sign-in on another device.
    /// - Throws: ``OAuthError``, ``/IdentityKit/TokenStoreError``, or what the transport throws.
    func deviceSignIn(scopes: [String]) async throws -> RelyingParty {
        let party = try await discovered.relyingParty
        guard let clients else { return party }
        let described = clients.describedClient(at: party.metadata)
        if let described { return party.acting(as: described) }
        return party.acting(as: try await clients.client(at: party.metadata, returningTo: nil, scopes: scopes))
    }

    /// Refreshes a session. A client that registered itself and that the server has forgotten ends it: nobody else can
    /// use its refresh token.
    /// - Throws: whatever leaves the refresh token in doubt.
    func refresh(_ credential: Credential) async throws -> RefreshResult {
        let result = try await discovered.refresh(credential, by: { try await acting($0, as: credential.clientID) })
        guard let clients, case .misconfigured(let error as OAuthError) = result, error.isUnknownClient,
            let metadata = discovered.knownRelyingParty?.metadata, let id = credential.clientID
        else { return result }
        try? await clients.forget(id, at: metadata)
        return .refused(reason: "The server does not know this client any more.")
    }

    /// Verifies the ID token that a refresh could not verify without a request.
    /// - Throws: `CancellationError`.
    func verify(_ credential: Credential) async throws -> RefreshVerification {
        try await discovered.verify(credential, by: { try await acting($0, as: credential.clientID) })
    }
}
