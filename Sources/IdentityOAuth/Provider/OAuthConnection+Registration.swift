import Foundation
import IdentityKit

/// The clients that this app has registered, in the shared store: one per server and redirect URI, registered only
/// once, even if several processes start at the same time. The last seven former clients are kept for the sessions that
/// they began.
extension OAuthConnection {
    private var transportSecurity: TransportSecurity { server.client.transportSecurity }

    /// The client whose identifier is the address of its metadata document; `nil` if no document is configured.
    private var documentClient: OAuthClient? {
        server.registration?.metadataDocument.map {
            OAuthClient(id: $0.absoluteString, transportSecurity: transportSecurity)
        }
    }

    /// The client of the metadata document for a new sign-in; `nil` if no document is configured, or the server does not accept
    /// the address of a document as a client identifier.
    func describedClient(at metadata: AuthorizationServerMetadata) -> OAuthClient? {
        metadata.takesClientMetadataDocuments ? documentClient : nil
    }

    /// Returns `party` as the client that began a session or a flow; unchanged if clients are not registered by this app.
    /// - Parameter id: the identifier of that client; `nil` matches no client.
    /// - Throws: ``OAuthError/invalidRegistration(_:)`` when no stored client has this identifier, and
    ///   ``/IdentityCore/TokenStoreError``.
    func acting(_ party: RelyingParty, as id: String?) async throws -> RelyingParty {
        guard server.registration != nil else { return party }
        // A session keeps the client that began it, even if the server's metadata no longer announces support for metadata
        // documents.
        if let described = documentClient, described.id.hasBytes(of: id) { return party.acting(as: described) }
        for key in keys(party.metadata) {
            if let client = try await record(for: key)?.clients.first(where: { $0.id.hasBytes(of: id) }) {
                return party.acting(as: client.client(transportSecurity: transportSecurity))
            }
        }
        throw OAuthError.invalidRegistration(.unknownClient)
    }

    /// Returns the redirect URI of a sign-in. The redirect URI of the registered client, with its port, is used again if
    /// the browser can still receive it, because most servers compare redirect URIs exactly.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or what the browser throws.
    func registeredAddress(
        at metadata: AuthorizationServerMetadata, in browser: any WebAuthenticator, for redirectURI: URL
    ) async throws -> URL {
        let current = try await record(for: key(metadata, for: server.method))?.current(at: environment.time.now)
        let known = current?.redirectURIs.first.flatMap(URL.init(string:))
        if let known, let address = try? await browser.redirectURI(for: known) { return address }
        return try await browser.redirectURI(for: redirectURI)
    }

    /// Returns the client for a sign-in. Registers a client if none is stored for the redirect URI, if the secret of the
    /// stored client has expired, or if the server has forgotten that client.
    /// - Parameters:
    ///   - registration: the settings of the registration.
    ///   - metadata: the metadata of the server.
    ///   - address: the redirect URI; `nil` for a sign-in on another device.
    ///   - scopes: the scopes that the client will ask for.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, `MalformedTokenError` for an initial access token,
    ///   `CancellationError`, or what the transport throws.
    func registeredClient(
        _ registration: ClientRegistration, at metadata: AuthorizationServerMetadata, returningTo address: URL?,
        scopes: [String]
    ) async throws -> OAuthClient {
        let (client, isNew) = try await registered(registration, at: metadata, returningTo: address, scopes: scopes)
        // Check before the person is sent to the server's page, where an unknown client is a dead end.
        if isNew { return client.client(transportSecurity: transportSecurity) }
        if let known = try await known(client, at: metadata) {
            return known.client(transportSecurity: transportSecurity)
        }
        return try await registered(
            registration, at: metadata, returningTo: address, scopes: scopes, replacing: client
        ).client.client(transportSecurity: transportSecurity)
    }

    private func registered(
        _ registration: ClientRegistration, at metadata: AuthorizationServerMetadata, returningTo address: URL?,
        scopes: [String], replacing unknown: RegisteredClient? = nil
    ) async throws -> (client: RegisteredClient, isNew: Bool) {
        let now = environment.time.now
        var isNew = false
        func usable(_ content: Data) -> RegisteredClient? {
            // After a new registration, accept the client even if it equals `unknown`, because a server may register it again
            // under the same identifier.
            guard let client = Record(content)?.current(at: now), isNew || client != unknown else { return nil }
            return address.map { client.redirectURIs.containsBytes(of: $0.absoluteString) } ?? true ? client : nil
        }
        let content = try await environment.store.valueRequestedOnce(
            for: key(metadata, for: server.method), time: environment.time, where: { usable($0) != nil }
        ) { former in
            isNew = true
            let client = try await register(registration, at: metadata, returningTo: address, scopes: scopes)
            return try (former.flatMap(Record.init) ?? Record()).adding(client).encoded()
        }
        guard let client = usable(content) else { throw OAuthError.invalidRegistration(.redirectURIReplaced) }
        return (client, isNew)
    }

    /// Stops using a client for new sign-ins, because its server has forgotten it.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func forget(_ id: String, at metadata: AuthorizationServerMetadata) async throws {
        for key in keys(metadata) {
            try await environment.store.update(key) { stored in
                guard let record = stored?.content.flatMap(Record.init)?.removing(id) else { return .keep }
                return .replace(try record.encoded())
            }
        }
    }

    /// Asks the server whether it still knows a client, by reading the registration (RFC 7592 section 2.1). Without a
    /// configuration endpoint or a usable registration access token, sends an invalid refresh token: the error code shows
    /// whether the client was recognized. Unless the response says that the client is unknown, the client counts as known.
    /// - Returns: the client as it is registered now, which is stored, because the response may have a new secret or
    ///   registration access token; `nil` if the server does not know the client, or the client's secret has expired.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` for a registration with an invalid member, `CancellationError`,
    ///   ``/IdentityCore/TokenStoreError``, or what the transport throws.
    private func known(
        _ client: RegisteredClient, at metadata: AuthorizationServerMetadata
    ) async throws -> RegisteredClient? {
        var known = client
        // A registration access token that no header field can carry counts as missing.
        let isReadable =
            client.configurationEndpoint != nil
            && (try? client.registrationAccessToken?.reveal().asToken()) != nil
        do {
            if isReadable {
                known =
                    try await ClientConfigurationRequest(.read, client, transportSecurity: transportSecurity)
                    .send(using: environment.transport) ?? client
            } else {
                _ = try await TokenRequest(
                    .refreshToken("none"), tokenEndpoint: metadata.endpoint(.token),
                    client: client.client(transportSecurity: transportSecurity)
                ).send(using: environment.transport)
            }
        } catch let error as OAuthError {
            switch error {
            // An invalid member, such as the `client_id` of another client, makes the response untrustworthy.
            case .invalidResponse(.invalidMember, _): throw error
            // 401, 404 and `invalid_token` mean an unknown client only at the client's configuration endpoint (RFC 7592 section
            // 2.1). At the token endpoint, a firewall may have sent the status, and the refresh token is invalid on purpose.
            case .invalidResponse(.failedStatus(401), _) where isReadable,
                .invalidResponse(.failedStatus(404), _) where isReadable:
                return nil
            case .refused(let refusal) where isReadable && refusal.error == .invalidToken: return nil
            default: if error.isUnknownClient { return nil }
            }
        }
        if known != client { try await store(known, inPlaceOf: client, at: metadata) }
        return known.isUsable(at: environment.time.now) ? known : nil
    }

    /// Stores the client as the server now describes it. Changes nothing if another process has meanwhile stored another client
    /// or another registration access token.
    private func store(
        _ client: RegisteredClient, inPlaceOf former: RegisteredClient, at metadata: AuthorizationServerMetadata
    ) async throws {
        try await environment.store.update(key(metadata, for: server.method)) { stored in
            guard let record = stored?.content.flatMap(Record.init), record.clients.first == former else {
                return .keep
            }
            return .replace(try record.adding(client).encoded())
        }
    }

    func registrationEndpoint(of metadata: AuthorizationServerMetadata) throws -> URL {
        guard let endpoint = metadata.registrationEndpoint else {
            throw OAuthError.invalidRegistration(.notSupported)
        }
        return endpoint
    }

    private func register(
        _ registration: ClientRegistration, at metadata: AuthorizationServerMetadata, returningTo address: URL?,
        scopes: [String]
    ) async throws -> RegisteredClient {
        let endpoint = try registrationEndpoint(of: metadata)
        // Some servers require a name.
        var client = ClientMetadata(
            redirectURIs: address.map { [$0] } ?? [], name: registration.name ?? ClientMetadata.nameOfThisApp)
        if address == nil { client.grantTypes = [.deviceCode, .refreshToken] }
        client.scopes = scopes
        client.additionalMembers = registration.additionalMembers
        // A client declares in its registration that its tokens are bound to keys (RFC 9449 section 5.2).
        if server.bindsTokens { client.additionalMembers["dpop_bound_access_tokens"] = true }
        let methods = metadata.tokenEndpointAuthMethodsSupported ?? []
        if !methods.isEmpty, !methods.contains(.none) {
            client.authenticationMethod = methods.contains(.clientSecretPost) ? .clientSecretPost : .clientSecretBasic
        }
        let request = ClientRegistrationRequest(
            endpoint: endpoint, metadata: client, initialAccessToken: registration.initialAccessToken,
            transportSecurity: transportSecurity)
        let registered: RegisteredClient
        do {
            registered = try await request.send(using: environment.transport)
        } catch let error as OAuthError {
            throw error.refusingRegistration
        }
        guard registered.isUsable(at: environment.time.now) else { throw OAuthError.invalidRegistration(.expired) }
        return registered
    }

    /// The store key of the clients: the issuer and the configured redirect URI, which has no port if the browser chooses
    /// one. For a sign-in on another device, the grant type replaces the redirect URI.
    private func key(
        _ metadata: AuthorizationServerMetadata, for method: OAuthServer.SignInMethod
    ) -> StoreKey {
        let address = method == .device ? nil : server.redirectURI
        return StoreKey(.clients, metadata.issuer + " " + (address?.absoluteString ?? GrantType.deviceCode.rawValue))
    }

    /// The store keys for all sign-in methods, first the key for the configured method. A session may have begun with another
    /// method, because the configuration may have changed since then.
    private func keys(_ metadata: AuthorizationServerMetadata) -> [StoreKey] {
        let others = OAuthServer.SignInMethod.allCases.filter { $0 != server.method }
        return ([server.method] + others).map { key(metadata, for: $0) }
    }

    private func record(for key: StoreKey) async throws -> Record? {
        try await environment.store.record(for: key)?.content.flatMap(Record.init)
    }

    /// The clients at one server with one redirect URI: the current client first, then at most seven former ones.
    private struct Record: Codable {
        private(set) var clients: [RegisteredClient] = []
        /// Whether the server has forgotten the current client.
        private var isForgotten: Bool?

        init() {}

        init?(_ content: Data) {
            guard let record = try? JSONDecoder().decode(Record.self, from: content) else { return nil }
            self = record
        }

        func current(at now: Date) -> RegisteredClient? {
            guard isForgotten != true, let first = clients.first, first.isUsable(at: now) else { return nil }
            return first
        }

        func adding(_ client: RegisteredClient) -> Record {
            var record = Record()
            record.clients = [client] + clients.filter { !$0.id.hasBytes(of: client.id) }.prefix(7)
            return record
        }

        /// Returns a record without a current client; `nil` if `id` is not the identifier of the current one.
        func removing(_ id: String) -> Record? {
            guard clients.first?.id.hasBytes(of: id) == true else { return nil }
            var record = self
            record.isForgotten = true
            return record
        }

        func encoded() throws -> Data { try JSONEncoder().encode(self) }
    }
}

extension OAuthError {
    /// The error to report for a failed registration. An OAuth error, or another refusal with a status of 400 to 499, becomes
    /// ``invalidRegistration(_:)``. Every other error is returned unchanged, such as the error for an HTML page, which a proxy
    /// may have sent, or for a response that asks to wait and has no OAuth error.
    fileprivate var refusingRegistration: OAuthError {
        switch self {
        case .refused(let refusal): .invalidRegistration(.refused(refusal))
        case .invalidResponse(.failedStatus(let status), _):
            (400..<500).contains(status)
                ? .invalidRegistration(.refused(ErrorResponse(error: OAuthErrorCode(rawValue: ""), status: status)))
                : self
        default: self
        }
    }

    /// Whether the error response means that the server does not know the client (RFC 6749 section 5.2). A transient refusal,
    /// such as that of a failing server, does not mean that.
    var isUnknownClient: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.error == .invalidClient && refusal.failureClass == .definitive
    }
}
