import Foundation
import IdentityKit

/// The state behind the endpoints of an OpenID Connect server: users, clients, keys and tokens.
public struct OpenIDBackend: LocalServerBackend {
    let configuration: LocalOpenIDConnectServer.Configuration
    /// Scheme, host, port and path that precede every endpoint.
    let baseURL: String
    let time: TimeSource
    let keyRing: OpenIDKeyRing
    let behaviour = Locked(OpenIDBehaviour())
    let counters = Locked(LocalOpenIDConnectServer.Counters())

    let journal = TokenJournal()
    let users: OpenIDUserDirectory
    let clients: ClientDirectory<LocalOpenIDConnectServer.Client>
    let tokens: OpenIDTokenRegistry
    let codes = OneTimeCodes<OpenIDCode>()
    let sessions: OpenIDSessions
    let devices: OpenIDDevices
    let registrations: OpenIDRegistrations
    let dpop: DPoPState
    /// Authorization requests, by the key that their sign-in or consent page contains. A request expires ten minutes after the
    /// server created its page or last handled the page's form.
    let interactions: ExpiringStore<OpenIDInteraction>
    /// Pushed authorization requests that have not been used yet, by `request_uri`.
    let pushedRequests: ExpiringStore<OpenIDAuthorizationRequest>
    /// The `jti` of every assertion that was used. Clients sign assertions to authenticate themselves, or as an authorization
    /// grant.
    let usedAssertions = Locked<Set<String>>([])

    /// Creates the backend at the server's start, with the state of an earlier run of the server if there is one.
    /// - Throws: an error if a saved key is malformed, or a key cannot be made.
    public init(
        configuration: LocalOpenIDConnectServer.Configuration, origin: String, restoring saved: State?, time: TimeSource
    ) throws {
        self.configuration = configuration
        keyRing = try OpenIDKeyRing(configuration.signingAlgorithm, restoring: saved?.keys)
        self.time = time
        baseURL = origin + configuration.path
        tokens = OpenIDTokenRegistry(configuration, restoring: saved?.tokens, time: time)
        sessions = OpenIDSessions(lifetime: configuration.sessionLifetime, restoring: saved?.sessions, time: time)
        users = OpenIDUserDirectory(configuration.users, restoring: saved?.users)
        clients = ClientDirectory(configuration.clients, restoring: saved?.clients)
        registrations = OpenIDRegistrations(restoring: saved?.registrations ?? [])
        devices = OpenIDDevices(
            lifetime: configuration.deviceCodeLifetime, interval: configuration.deviceInterval, time: time)
        dpop = DPoPState(nonceLifetime: configuration.dpopNonceLifetime, time: time)
        interactions = ExpiringStore(lifetime: .seconds(600), time: time)
        pushedRequests = ExpiringStore(lifetime: configuration.pushedRequestLifetime, time: time)
    }

    /// The issuer identifier, without the effect of variations and misbehaviours.
    var issuer: String { configuration.issuer ?? baseURL }

    func issuer(_ behaviour: OpenIDBehaviour) -> String {
        if behaviour.has(.tenantIssuers) { return issuer + "/" + LocalOpenIDConnectServer.tenant }
        guard behaviour.has(.httpsIssuer), issuer.hasPrefix("http:") else { return issuer }
        return "https:" + issuer.dropFirst("http:".count)
    }

    /// Returns the issuer for metadata and keys. With `tenantIssuers`, the issuer contains the placeholder `{tenantid}` instead
    /// of the tenant.
    func announcedIssuer(_ behaviour: OpenIDBehaviour) -> String {
        behaviour.has(.tenantIssuers) ? issuer + "/{tenantid}" : issuer(behaviour)
    }

    /// Returns the time of the server's clock, which the variations `clockAhead` and `clockBehind` make wrong by an hour.
    func now(_ behaviour: OpenIDBehaviour) -> Date { time.now + behaviour.clockError }

    func client(_ id: String) -> LocalOpenIDConnectServer.Client? {
        clients.client(id) ?? registrations.client(id) ?? describedClient(id)
    }

    /// Returns the public client whose identifier is the address of a metadata document; `nil` if no such document is
    /// configured. The redirect URIs come from the configuration, because this server does not fetch the document.
    private func describedClient(_ id: String) -> LocalOpenIDConnectServer.Client? {
        configuration.clientDocuments[id].map { addresses in
            LocalOpenIDConnectServer.Client(id: id, name: id) {
                $0.redirectURIs = addresses
                $0.grantTypes = [.authorizationCode, .refreshToken]
            }
        }
    }

    func user(_ id: String) -> LocalOpenIDConnectServer.User? { users.user(id) }

    /// Returns the user with these credentials, and counts the sign-in; `nil` for wrong credentials or a disabled user.
    func authenticate(username: String, password: String) -> LocalOpenIDConnectServer.User? {
        counted(users.user(named: username, password: Secret(password)))
    }

    /// Returns the user with this identifier, and counts the sign-in; `nil` for an unknown or disabled user.
    func choose(_ id: String) -> LocalOpenIDConnectServer.User? {
        counted(users.all.first { $0.user.id == id && $0.isActive }?.user)
    }

    private func counted(_ user: LocalOpenIDConnectServer.User?) -> LocalOpenIDConnectServer.User? {
        if user != nil { counters.withLock { $0.signIns += 1 } }
        return user
    }

    /// Returns the user's claims that the scopes select (OpenID Connect Core section 5.4). `email` selects `email` and
    /// `email_verified`, and `profile` selects all other claims.
    func claims(ofUser id: String, scopes: [String]) -> [String: JSONValue] {
        let emailClaims: Set = ["email", "email_verified"]
        return (user(id)?.claims ?? [:]).filter { name, _ in
            scopes.contains(emailClaims.contains(name) ? "email" : "profile")
        }
    }
}
