import Foundation
import IdentityKit

/// Finds the authorization server of a protected resource by the resource's metadata (RFC 9728). A resource without metadata
/// may follow version 2025-03-26 of the Model Context Protocol. The authorization server is then at the resource's own origin.
struct ResourceDiscovery: Sendable {
    let resource: URL
    /// The issuer of the configured authorization server; `nil` for the first server that the resource names.
    let issuer: String?
    let transportSecurity: TransportSecurity
    let environment: IdentityEnvironment

    /// Discovers the authorization server and its metadata.
    /// - Parameter refusal: the resource's response to an earlier request without a token; `nil` to send such a request.
    /// - Throws: ``OAuthError``, ``/IdentityCore/TokenStoreError``, `CancellationError`, or what the transport throws.
    func server(after refusal: ResourceRefusal?) async throws -> DiscoveredServer {
        let memory = ResourceMemory(resource, in: environment.store)
        // Check the address first, so that an unsuitable one gets no request.
        _ = try ProtectedResourceMetadata.url(of: resource, transportSecurity: transportSecurity)
        var probed = ResourceProbe.Outcome(refusal)
        if refusal == nil {
            probed = try await ResourceProbe(resource: resource, transport: environment.transport)
                .outcome(on: environment.time)
        }
        let challenge = probed.refusal?.challenge
        var search = ResourceSearch(resource, environment.transport, transportSecurity)
        var found: DiscoveredServer
        do {
            found = try await server(of: search.document(named: challenge?.metadata), challenge)
            // A store that cannot be written must not end a session that still works.
            try? await memory.note { $0.isDescribed = true }
        } catch OAuthError.invalidResource(let reason) where reason.isWithoutDocument {
            // Without a refusal, the resource failed to respond, or accepts requests without a token. It may name its metadata
            // later, so the server is not looked for at the resource's origin.
            guard let refusal = probed.refusal else {
                if probed.isLate { throw TransportError.timedOut(host: host, after: ResourceProbe.limit) }
                throw search.notDescribed(at: probed.failure)
            }
            guard search.isUndescribed, refusal.status == 401, challenge?.metadata == nil, issuer == nil,
                try await memory.known().isDescribed != true
            else { throw OAuthError.invalidResource(reason) }
            found = try await serverOfOrigin(search.origin().absoluteString, challenge)
        }
        if let former = try? await memory.known().issuer, !former.hasBytes(of: found.metadata.issuer) {
            // If an address that was tried before has failed temporarily, its document may still name the former server, so it
            // is not certain that the server has changed.
            guard search.places.failureClass == .definitive else { throw search.notDescribed() }
            emit(.serverChanged(resource: host, from: former.hostAlone, to: found.metadata.issuer.hostAlone))
        }
        return found
    }

    private var host: String { resource.absoluteString.hostAlone }

    private func emit(_ event: ResourceEvent) { environment.observers.emit(.resource(event)) }

    private func server(
        of described: ProtectedResourceMetadata, _ challenge: ResourceChallenge?
    ) async throws -> DiscoveredServer {
        if let issuer, !described.authorizationServers.contains(where: { $0.isSameIssuer(as: issuer) }) {
            throw OAuthError.invalidResource(.otherAuthorizationServer(issuer))
        }
        let metadata = try await metadata(of: issuer ?? described.authorizationServers[0])
        var found = discovered(metadata, challenge)
        found.scopes = Self.scopes(challenge?.scopes ?? described.scopesSupported ?? [], at: metadata)
        found.resource = described.resource
        let isOffered = described.takesBoundTokens || challenge?.takesProofs == true
        found.takesBoundTokens = described.requiresBoundTokens || isOffered && metadata.takesProofs
        return found
    }

    private func metadata(of issuer: String) async throws -> AuthorizationServerMetadata {
        try await Discovery.discover(
            issuer: issuer, preferring: .authorizationServerAlone, namedByResource: self.issuer == nil,
            using: environment.transport, transportSecurity: transportSecurity)
    }

    private func discovered(
        _ metadata: AuthorizationServerMetadata, _ challenge: ResourceChallenge?
    ) -> DiscoveredServer {
        var found = DiscoveredServer(metadata)
        found.isOfResource = true
        found.challenge = challenge
        found.notice = "\(host) asks for a sign-in at \(metadata.issuer.hostAlone)."
        return found
    }

    /// Returns the server at the resource's own origin. If the server has no metadata, the endpoints are the defaults of
    /// version 2025-03-26 of the Model Context Protocol.
    private func serverOfOrigin(_ origin: String, _ challenge: ResourceChallenge?) async throws -> DiscoveredServer {
        var notice = " \(host) does not describe itself, as servers of the Model Context Protocol did until 2025."
        var metadata: AuthorizationServerMetadata
        do {
            metadata = try await self.metadata(of: origin)
        } catch OAuthError.invalidMetadata(.notFound(let places))
            where places.allSatisfy({ [404, 410].contains($0.status) })
        {
            var members: [String: JSONValue] = [
                "issuer": .string(origin), "code_challenge_methods_supported": ["S256"],
            ]
            members["token_endpoint_auth_methods_supported"] = ["none"]
            for (endpoint, path) in [
                (.authorization, "/authorize"), (.token, "/token"), (.registration, "/register"),
            ] as [(ServerEndpoint, String)] {
                members[endpoint.rawValue] = .string(origin + path)
            }
            metadata = try AuthorizationServerMetadata(members: members, transportSecurity: transportSecurity)
            notice += " The usual addresses are used: \(host)/authorize, /token and /register."
        }
        emit(.undescribed(resource: host))
        var found = discovered(metadata, challenge)
        found.scopes = Self.scopes(challenge?.scopes ?? [], at: metadata)
        found.notice?.append(notice)
        return found
    }

    /// Returns the scopes that a resource demands. Adds `offline_access` if the server's metadata lists it, so that the
    /// server issues a refresh token. If the resource demands no scopes, the list stays empty, which leaves the scopes
    /// to the server.
    private static func scopes(_ asked: [String], at metadata: AuthorizationServerMetadata) -> [String] {
        let isOffered = metadata.scopesSupported?.contains(offlineAccess) == true
        return asked.isEmpty || !isOffered || asked.contains(offlineAccess) ? asked : asked + [offlineAccess]
    }

    static let offlineAccess = "offline_access"
}

extension InvalidResourceReason {
    fileprivate var isWithoutDocument: Bool { if case .notDescribed = self { true } else { false } }
}

extension AuthorizationServerMetadata {
    /// Whether the metadata lists `ES256`, the algorithm with which this library signs the proofs of bound tokens (RFC 9449
    /// section 5.1).
    fileprivate var takesProofs: Bool {
        members["dpop_signing_alg_values_supported"]?.arrayValue?.contains("ES256") ?? false
    }
}

extension String {
    /// The host of an address, with the port if that is not the default. For a text that is no address, the text
    /// itself. Both are made safe to quote in a message.
    var hostAlone: String { sanitized(URLParts(self)?.origin ?? self) }
}

/// The stored facts about a resource. Later discoveries by any process are compared with them.
struct ResourceMemory: Sendable {
    struct Known: Codable, Equatable {
        /// The issuer of the authorization server at the latest sign-in; `nil` before the first sign-in and after a sign-out.
        var issuer: String?
        /// Whether metadata of the resource was ever found; `nil` until then.
        var isDescribed: Bool?
    }

    private let key: StoreKey
    private let store: any TokenStore

    init(_ resource: URL, in store: any TokenStore) {
        // The prefix distinguishes this key from the key of a registered client, which begins with the issuer's URL.
        key = StoreKey(.clients, "resource " + resource.absoluteString)
        self.store = store
    }

    func known() async throws -> Known { Self.read(try await store.record(for: key)) }

    func note(_ change: (inout Known) -> Void) async throws {
        try await store.update(key) { record in
            let former = Self.read(record)
            var known = former
            change(&known)
            return known == former ? .keep : .replace(try JSONEncoder().encode(known))
        }
    }

    private static func read(_ record: StoreRecord?) -> Known {
        record?.content.flatMap { try? JSONDecoder().decode(Known.self, from: $0) } ?? Known()
    }
}
