import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import InsForge
import TestSupport
import ThunderID

/// Two backends in one profile, with two people each, and a store in files that every client opens for itself.
struct TwoBackends: Sendable {
    enum Backend: String, CaseIterable, Sendable {
        case insforge, thunderid

        var other: Backend { self == .insforge ? .thunderid : .insforge }
    }

    enum Place { case first, second }

    struct Person: Sendable {
        let account: AccountID
        /// The words that the person enters.
        let answers: [String: Secret]

        /// The user name or the address.
        var name: String { (answers["username"] ?? answers["email"])?.reveal() ?? "" }
        var password: String { answers["password"]?.reveal() ?? "" }
    }

    let clock = ManualClock()
    let insForge: LocalInsForgeServer
    let thunderID: LocalThunderIDServer
    let folder: TemporaryFolder
    private let prompter = PersonPrompter()
    private let kim = LocalInsForgeServer.User(email: "kim@example.org", password: "kims password", name: "Kim")
    private let grace = LocalThunderIDServer.User(
        id: "01900000-0000-7000-8000-0000000000b2", username: "grace", attributes: ["email": "grace@example.org"])

    init() async throws {
        folder = try TemporaryFolder()
        let (kim, grace) = (kim, grace)
        insForge = try await LocalInsForgeServer.start(
            configuration: LocalInsForgeServer.Configuration { $0.additionalUsers = [kim] }, time: clock.timeSource)
        thunderID = try await LocalThunderIDServer.start(
            configuration: LocalThunderIDServer.Configuration { $0.additionalUsers = [grace] }, clock: clock)
    }

    func stop() async {
        await insForge.stop()
        await thunderID.stop()
    }

    func person(_ place: Place, at backend: Backend) -> Person {
        switch backend {
        case .insforge:
            let user = place == .first ? insForge.user : kim
            return Person(
                account: AccountID(account: user.id, realm: backend.rawValue),
                answers: ["email": Secret(user.email), "password": Secret(user.password)])
        case .thunderid:
            let user = place == .first ? thunderID.user : grace
            return Person(
                account: AccountID(account: user.id, realm: backend.rawValue),
                answers: ["username": Secret(user.username), "password": user.password])
        }
    }

    func store() throws -> any TokenStore { try configuration().store.open() }

    /// A client, with a store of its own where none is given.
    func client(store: (any TokenStore)? = nil) throws -> IdentityClient {
        try IdentityClient(
            configuration: configuration(), registry: ProviderRegistry([InsForgePlugin.self, ThunderIDPlugin.self]),
            environment: IdentityEnvironment(
                store: store ?? self.store(), prompter: prompter, time: clock.dates, variables: [:]))
    }

    /// The client of InsForge's own package.
    func insForgeClient(store: any TokenStore) -> InsForgeClient {
        var options = InsForgeClientOptions(
            auth: .init(storage: SharedAuthStorage(store)),
            global: .init(allowsLoopbackHTTP: true, logDestination: .none))
        options.time = clock.dates
        return InsForgeClient(baseURL: insForge.url, anonKey: insForge.anonKey, options: options)
    }

    /// The client of ThunderID's own package.
    func thunderIDClient(store: any TokenStore) async throws -> ThunderIDClient {
        let client = ThunderIDClient(environment: IdentityEnvironment(store: store, time: clock.dates))
        try await client.initialize(
            config: ThunderIDConfig(
                baseUrl: thunderID.url.absoluteString, clientId: thunderID.application.clientID,
                scopes: ["openid", "profile", "email"], afterSignInUrl: thunderID.application.redirectURIs.first,
                allowsLoopbackHTTP: true))
        return client
    }

    /// Lets the clock of servers and clients go on to the system's time, which other processes have.
    func catchUp() {
        let delay = Date().timeIntervalSince(clock.now)
        if delay > 0 { clock.advance(by: .seconds(delay)) }
    }

    /// Lets `person` sign in.
    func signIn(_ person: Person, with client: IdentityClient) async throws {
        prompter.answers.withLock { $0 = person.answers }
        guard try await client.signIn(with: person.account.realm) == person.account else { throw CancellationError() }
    }

    /// The event of a session of `account` that has ended; `nil` where it has not.
    func endOfSession(of account: AccountID) async throws -> IdentityEvent? {
        guard case .absent(.activeSessionEnded(account, let reason)) = try await client().lookUp() else { return nil }
        return .sessionEnded(account, reason: reason)
    }

    /// Ends the session at its server.
    func revoke(_ account: AccountID, at backend: Backend) {
        switch backend {
        case .insforge: insForge.deleteUser(id: account.account)
        case .thunderid: thunderID.revokeFamilies(ofUser: account.account)
        }
    }

    func configuration(changing changed: Backend? = nil, without removed: Backend? = nil) -> IdentityConfiguration {
        IdentityConfiguration(
            store: .file(folder: folder.file("store").path, key: .allowUnencryptedStorage),
            providers: Backend.allCases.filter { $0 != removed }.map { backend in
                ProviderConfiguration(
                    name: backend.rawValue, type: backend.rawValue, settings: settings(of: backend),
                    silentDeadline: SilentDeadline(.seconds(backend == changed ? 1800 : 3600)))
            })
    }

    private func settings(of backend: Backend) -> JSONValue {
        switch backend {
        case .insforge:
            [
                "baseURL": .string(insForge.url.absoluteString), "allowsLoopbackHTTP": true,
                "anonKey": .string(insForge.anonKey),
            ]
        case .thunderid:
            [
                "baseURL": .string(thunderID.url.absoluteString), "allowsLoopbackHTTP": true,
                "clientID": .string(thunderID.application.clientID),
                "redirectURI": .string(thunderID.application.redirectURIs.first ?? ""),
            ]
        }
    }
}

/// Enters what the person whose turn it is knows.
private final class PersonPrompter: FlowPrompter {
    let answers = Locked<[String: Secret]>([:])

    func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        PromptAnswer(values: answers.withLock { $0 })
    }
}
