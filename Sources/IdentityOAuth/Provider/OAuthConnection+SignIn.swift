import Foundation
import IdentityKit

extension OAuthConnection {
    struct SignIn: Sendable {
        let party: RelyingParty
        let scopes: [String]
        let redirectURI: URL?
    }

    /// Whether a flow was started here, by a client that will be found.
    func started(_ flow: PendingAuthorization, at party: RelyingParty) -> Bool {
        server.registration == nil ? party.started(flow) : flow.issuer?.hasBytes(of: party.metadata.issuer) == true
    }

    /// Prepares a sign-in, and registers a client for it where there is none.
    /// - Parameters:
    ///   - scopes: what is asked for beside the scopes of a session.
    ///   - session: the session that the tokens continue; `nil` for a new one.
    ///   - page: the browser, and where it returns to, as configured; `nil` for a sign-in on another device.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, or what the browser or the transport throws.
    func prepareSignIn(
        adding scopes: Set<String>, to session: Credential?,
        in page: (browser: any WebAuthenticator, redirectURI: URL)? = nil
    ) async throws -> SignIn {
        let party = try proving(await relyingParty, session)
        let scopes = server.scopes(at: party).adding(scopes)
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
        return SignIn(party: client.map(party.acting) ?? party, scopes: scopes, redirectURI: address)
    }

    /// Asks for what a sign-in needs of the server before its page or its code is shown. No client is registered.
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
