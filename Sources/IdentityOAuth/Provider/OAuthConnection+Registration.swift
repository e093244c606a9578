import Foundation
import IdentityKit

/// The clients that this app has registered, in the shared store: one for each server and redirect URI, registered once
/// however many processes start. Former ones are kept for the sessions that they began.
extension OAuthConnection {
    private var transportSecurity: TransportSecurity { server.client.transportSecurity }

    /// The client that a document of the app describes, where the server takes one.
    func describedClient(at metadata: AuthorizationServerMetadata) -> OAuthClient? {
        guard metadata.takesClientMetadataDocuments, let document = server.registration?.metadataDocument else {
            return nil
        }
        return OAuthClient(id: document.absoluteString, transportSecurity: transportSecurity)
    }

    /// `party` as the client that began a session or a flow.
    /// - Throws: ``OAuthError/invalidRegistration(_:)`` when it is not known any more, ``/IdentityCore/TokenStoreError``.
    func acting(_ party: RelyingParty, as id: String?) async throws -> RelyingParty {
        guard server.registration != nil else { return party }
        if let described = describedClient(at: party.metadata), described.id.hasBytes(of: id) {
            return party.acting(as: described)
        }
        let clients = try await record(at: party.metadata)?.clients ?? []
        guard let client = clients.first(where: { $0.id.hasBytes(of: id) }) else {
            throw OAuthError.invalidRegistration(.unknownClient)
        }
        return party.acting(as: client.client(transportSecurity: transportSecurity))
    }

    /// The address to which the browser returns. The port of the registration is kept where it is free, because most
    /// servers compare addresses as texts.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or what the browser throws.
    func registeredAddress(
        at metadata: AuthorizationServerMetadata, in browser: any WebAuthenticator, for redirectURI: URL
    ) async throws -> URL {
        let current = try await record(at: metadata)?.current(at: environment.time.now)
        let known = current?.redirectURIs.first.flatMap(URL.init(string:))
        if let known, let address = try? await browser.redirectURI(for: known) { return address }
        return try await browser.redirectURI(for: redirectURI)
    }

    /// The client for a sign-in, which is registered when there is none, or when the server has forgotten it.
    /// - Parameters:
    ///   - registration: how it is registered.
    ///   - metadata: the server.
    ///   - address: where the browser returns to; `nil` for a sign-in on another device.
    ///   - scopes: what it will ask for.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, or what the transport throws.
    func registeredClient(
        _ registration: ClientRegistration, at metadata: AuthorizationServerMetadata, returningTo address: URL?,
        scopes: [String]
    ) async throws -> OAuthClient {
        let (client, isNew) = try await registered(registration, at: metadata, returningTo: address, scopes: scopes)
        // Once a person is at the server's page, it is too late.
        let isKnown = if isNew { true } else { try await isKnown(client, at: metadata) }
        if isKnown {
            return client.client(transportSecurity: transportSecurity)
        }
        try await forget(client.id, at: metadata)
        return try await registered(registration, at: metadata, returningTo: address, scopes: scopes).client
            .client(transportSecurity: transportSecurity)
    }

    private func registered(
        _ registration: ClientRegistration, at metadata: AuthorizationServerMetadata, returningTo address: URL?,
        scopes: [String]
    ) async throws -> (client: RegisteredClient, isNew: Bool) {
        let now = environment.time.now
        func usable(_ content: Data) -> RegisteredClient? {
            guard let client = Record(content)?.current(at: now) else { return nil }
            return address.map { client.redirectURIs.containsBytes(of: $0.absoluteString) } ?? true ? client : nil
        }
        var isNew = false
        let content = try await environment.store.valueRequestedOnce(
            for: key(metadata), time: environment.time, where: { usable($0) != nil }
        ) { former in
            isNew = true
            let client = try await register(registration, at: metadata, returningTo: address, scopes: scopes)
            return try (former.flatMap(Record.init) ?? Record()).adding(client).encoded()
        }
        guard let client = usable(content) else { throw OAuthError.invalidRegistration(.redirectURIReplaced) }
        return (client, isNew)
    }

    /// Uses a client no longer for new sign-ins: its server has forgotten it.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func forget(_ id: String, at metadata: AuthorizationServerMetadata) async throws {
        try await environment.store.update(key(metadata)) { stored in
            guard let record = stored?.content.flatMap(Record.init) else { return .keep }
            return .replace(try record.removing(id).encoded())
        }
    }

    /// Whether the server still knows a client. One whose registration can be read is read (RFC 7592 section 2.1), and of
    /// another one the token endpoint is asked for something that it refuses either way.
    /// - Throws: what the transport throws.
    private func isKnown(_ client: RegisteredClient, at metadata: AuthorizationServerMetadata) async throws -> Bool {
        do {
            if client.configurationEndpoint != nil, client.registrationAccessToken != nil {
                _ = try await ClientConfigurationRequest(.read, client, transportSecurity: transportSecurity)
                    .send(using: environment.transport)
            } else {
                _ = try await TokenRequest(
                    .refreshToken("none"), tokenEndpoint: metadata.endpoint(.token),
                    client: client.client(transportSecurity: transportSecurity)
                ).send(using: environment.transport)
            }
        } catch let error as OAuthError {
            // Of another client than was asked for, nothing is to be believed.
            if case .invalidResponse(.invalidMember, _) = error { throw error }
            return !error.isUnknownClient
        }
        return true
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
        // A name is needed at some servers.
        var client = ClientMetadata(
            redirectURIs: address.map { [$0] } ?? [], name: registration.name ?? ClientMetadata.nameOfThisApp)
        if address == nil { client.grantTypes = [.deviceCode, .refreshToken] }
        client.scopes = scopes
        client.additionalMembers = registration.additionalMembers
        // RFC 9449 section 5.2.
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

    /// By the configuration's redirect URI, which has no port where the browser chooses one.
    private func key(_ metadata: AuthorizationServerMetadata) -> StoreKey {
        let address = server.method == .device ? nil : server.redirectURI
        return StoreKey(.clients, metadata.issuer + " " + (address?.absoluteString ?? GrantType.deviceCode.rawValue))
    }

    private func record(at metadata: AuthorizationServerMetadata) async throws -> Record? {
        try await environment.store.record(for: key(metadata))?.content.flatMap(Record.init)
    }

    /// The clients at one server with one redirect URI, the current one first.
    private struct Record: Codable {
        private(set) var clients: [RegisteredClient] = []
        /// The current client was forgotten by its server.
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

        func removing(_ id: String) -> Record {
            var record = self
            if clients.first?.id.hasBytes(of: id) == true { record.isForgotten = true }
            return record
        }

        func encoded() throws -> Data { try JSONEncoder().encode(self) }
    }
}

extension OAuthError {
    /// The error of a request for a registration: a refusal is the server's decision, in whatever words.
    fileprivate var refusingRegistration: OAuthError {
        switch self {
        case .refused(let refusal): .invalidRegistration(.refused(refusal))
        case .invalidResponse(.failedStatus(let status), _), .invalidResponse(.errorPage(let status), _):
            (400..<500).contains(status)
                ? .invalidRegistration(.refused(ErrorResponse(error: OAuthErrorCode(rawValue: ""), status: status)))
                : self
        default: self
        }
    }

    /// Whether a server says that it does not know the client (RFC 6749 section 5.2, RFC 7592 section 2).
    var isUnknownClient: Bool {
        switch self {
        case .refused(let refusal): [.invalidClient, .unauthorizedClient, .invalidToken].contains(refusal.error)
        case .invalidResponse(.failedStatus(401), _), .invalidResponse(.failedStatus(403), _),
            .invalidResponse(.failedStatus(404), _):
            true
        default: false
        }
    }
}
