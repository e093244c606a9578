import IdentityKit

/// The state behind the endpoints of a ThunderID server: users, applications, keys, tokens and flows.
public struct ThunderIDBackend: LocalServerBackend {
    let configuration: LocalThunderIDServer.Configuration
    /// Scheme, host, port and path prefix of this server.
    let baseURL: String
    let time: TimeSource
    let counters = Locked(LocalThunderIDServer.Counters())
    let outbox = ThunderIDOutbox()
    /// Identifiers (`jti`) of the used client assertions, each of which is accepted only once.
    let usedAssertions = Locked<Set<String>>([])
    /// The DPoP proofs that were used at any endpoint, and the nonces of `GET /api/resource`.
    let dpop: DPoPState

    let keyRing: ThunderIDKeyRing
    let users: ThunderIDUserDirectory
    let clients: ClientDirectory<LocalThunderIDServer.Application>
    let families: TokenFamilies
    let tokens: ThunderIDTokenService
    let authorizations: AuthorizationStore
    let backchannel: BackchannelRequests
    let sessions: SingleSignOnSessions
    let passkeys: PasskeyRegistry
    let consents: ConsentRecords
    let ledger: ThunderIDTokenLedger
    let journal = TokenJournal()
    let upstream: UpstreamProvider
    let gateVisits: GateVisits
    let flows: FlowEngine

    /// Creates the state of a new server, or restores the state of an earlier run from `saved`.
    /// - Parameters:
    ///   - configuration: users, applications and rules.
    ///   - origin: the scheme, host and port of the server.
    ///   - saved: the state that an earlier run of the server saved; `nil` for a new server.
    ///   - time: the clock.
    /// - Throws: an error if a saved signing key or passkey is malformed, or if a signing key cannot be made.
    public init(
        configuration: LocalThunderIDServer.Configuration, origin: String, restoring saved: State?, time: TimeSource
    ) throws {
        self.configuration = configuration
        let baseURL = origin + configuration.pathPrefix
        self.baseURL = baseURL
        keyRing = try ThunderIDKeyRing(configuration.signingAlgorithm, restoring: saved?.keys, time: time)
        self.time = time
        dpop = DPoPState(nonceLifetime: .seconds(300), time: time)
        users = ThunderIDUserDirectory(configuration.users, restoring: saved?.users, time: time)
        clients = ClientDirectory(configuration.applications, restoring: saved?.applications)
        families = TokenFamilies(grace: configuration.rotationGrace, restoring: saved?.families, time: time)
        sessions = SingleSignOnSessions(restoring: saved?.sessions)
        passkeys = try PasskeyRegistry(configuration.passkeys, restoring: saved?.passkeys)
        consents = ConsentRecords(restoring: saved?.consents)
        ledger = ThunderIDTokenLedger(restoring: saved?.tokens)
        tokens = ThunderIDTokenService(
            issuer: configuration.issuer ?? baseURL, configuration: configuration, keyRing: keyRing,
            families: families, ledger: ledger, restoring: saved?.attributes, time: time)
        authorizations = AuthorizationStore(time: time)
        backchannel = BackchannelRequests(
            lifetime: BackchannelRequest.lifetime, interval: BackchannelRequest.interval, time: time)
        gateVisits = GateVisits(lifetime: .seconds(3600), time: time)
        upstream = UpstreamProvider(configuration, baseURL: baseURL)
        flows = FlowEngine(
            library: FlowLibrary(configuration),
            tasks: FlowTaskRunner(
                configuration: configuration, baseURL: baseURL, users: users, tokens: tokens, outbox: outbox,
                passkeys: passkeys, sessions: sessions, consents: consents,
                upstream: upstream, time: time),
            time: time)
    }

    /// The `iss` of tokens, discovery and authorization responses.
    var issuer: String { tokens.issuer }

    func application(id: String) -> LocalThunderIDServer.Application? { clients.all.first { $0.id == id } }

    /// The application with this OAuth client identifier; `nil` also if the application has no grant types, because it is
    /// not an OAuth client then.
    func application(clientID: String) -> LocalThunderIDServer.Application? {
        clients.all.first { $0.clientID == clientID && !$0.grantTypes.isEmpty }
    }
}
