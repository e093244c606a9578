import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

@Suite(.endsInTime) struct ConfigurationReloadTests {
    /// A provider whose sessions are in the store and whose tokens name their account.
    private enum SessionPlugin: ProviderPlugin {
        static let type = "session"

        struct Settings: Decodable, Sendable { let label: String }

        static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
            guard settings.label != "broken" else { throw TestError(message: "The label is broken.") }
            return StubProvider(name: context.name, store: context.environment.store, label: settings.label)
        }
    }

    private final class StubProvider: SessionProvider, IdentityAsserting {
        let realms: Set<String>
        private let label: String
        private let sessions: ProviderSessions

        init(name: String, store: any TokenStore, label: String) {
            realms = [name]
            self.label = label
            sessions = ProviderSessions(realm: name, origin: .anyone(at: "b"), store: store, time: .system) { _ in
                .refused(reason: "no")
            }
        }

        func silentAccount(in context: CallerContext) async throws -> AccountLookup {
            try await sessions.lookUp()
        }

        func signIn(in context: CallerContext) async throws -> AccountID? {
            guard let realm = realms.first else { return nil }
            let account = AccountID.ada(realm)
            try await sessions.begin(
                Credential(
                    accessToken: Secret("token of \(account)"), issuedAt: Date(), expiresAt: nil, signedInAt: Date(),
                    backend: "b"), for: account)
            return account
        }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { Data(label.utf8) }

        func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
            try await sessions.credential(for: accountID, scopes: scopes).accessToken.reveal()
        }

        func signOut(_ accountID: AccountID) async throws { try await sessions.end(accountID) }

        func assertion(
            of account: String?, to audience: String, for resource: String?, scopes: [String]
        ) async throws -> Secret { "assertion" }
    }

    private func configuration(_ providers: (String, String)...) -> IdentityConfiguration {
        IdentityConfiguration(
            providers: providers.map {
                ProviderConfiguration(name: $0.0, type: "session", settings: ["label": .string($0.1)])
            })
    }

    private func client(
        _ configuration: IdentityConfiguration, store: any TokenStore = MemoryTokenStore(), time: TimeSource = .system
    ) throws -> IdentityClient {
        try IdentityClient(
            configuration: configuration, registry: ProviderRegistry([SessionPlugin.self]),
            environment: IdentityEnvironment(store: store, time: time, variables: [:]))
    }

    @Test("Tenants are added while the client is used: none undoes another, and sessions go on")
    func tenants() async throws {
        let client = try client(configuration(("work", "a")))
        let account = try await client.signIn(with: "work")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let name = "tenant-\(number)"
                    try client.reconfigure {
                        $0.providers.append(
                            ProviderConfiguration(name: name, type: "session", settings: ["label": "a"]))
                    }
                    // It is there at once.
                    _ = try await client.signIn(with: name)
                    #expect(try await client.accessToken(as: .ada(name)) == "token of \(name)/ada")
                }
                group.addTask {
                    let token = try await client.accessToken(as: account)
                    #expect(token == "token of work/ada")
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<100 {
            #expect(try await client.accessToken(as: .ada("tenant-\(number)")) == "token of tenant-\(number)/ada")
        }
        #expect(throws: ChainUsageError.ambiguous("work")) {
            try client.reconfigure {
                $0.providers.append(ProviderConfiguration(name: "work", type: "session", settings: ["label": "b"]))
            }
        }
        #expect(try await client.accessToken(as: account) == "token of work/ada")
    }

    @Test("A new configuration takes effect, reports what changed, and stored accounts stay")
    func reload() async throws {
        let client = try client(configuration(("work", "a"), ("home", "a")))
        try await client.signIn(with: "work")
        let change = try client.reload(configuration(("guest", "a"), ("home", "b"), ("work", "a")))
        #expect(change.description == "added guest; changed home; another order")
        #expect(change.kept == ["work"])
        #expect(client.links.map(\.name) == ["guest", "home", "work"])
        #expect(try await client.accessToken() == "token of work/ada")

        // A provider that is gone takes nothing along: when it comes back, its account is still signed in.
        #expect(try client.reload(configuration(("guest", "a"))).removed == ["home", "work"])
        #expect(try await client.account() == nil)
        try client.reload(configuration(("work", "c")))
        #expect(try await client.accessToken() == "token of work/ada")
        #expect(try await client.requestAuthorization(scopes: []) == Data("c".utf8))
    }

    @Test("After a failed reload, the providers in use still issue assertions to others")
    func failedReload() async throws {
        let environment = IdentityEnvironment(store: MemoryTokenStore(), variables: [:])
        let client = try IdentityClient(
            configuration: configuration(("work", "a")), registry: ProviderRegistry([SessionPlugin.self]),
            environment: environment)
        #expect(throws: ChainUsageError.ambiguous("work")) {
            try client.reload(configuration(("work", "b"), ("work", "c")))
        }
        #expect(environment.providers.provider("work") != nil)
        try client.reload(configuration(("work", "b")))
        #expect(environment.providers.provider("work") != nil)
    }

    @Test("After a reload and after a restart the same account is current, whatever the order of the providers")
    func sameAccount() async throws {
        let environment = IdentityEnvironment(store: MemoryTokenStore(), variables: [:])
        func start(_ configuration: IdentityConfiguration) throws -> IdentityClient {
            try IdentityClient(
                configuration: configuration, registry: ProviderRegistry([SessionPlugin.self]),
                environment: environment)
        }
        let client = try start(configuration(("work", "a"), ("home", "a")))
        for name in ["work", "home"] { try await client.signIn(with: name) }
        for next in [
            configuration(("work", "b"), ("home", "a")), configuration(("work", "b"), ("home", "b")),
            configuration(("guest", "a"), ("work", "b"), ("home", "c")),
        ] {
            try client.reload(next)
            for client in [client, try start(next)] {
                #expect(try await client.account() == .ada("home"))
                #expect(try await client.accessToken() == "token of home/ada")
            }
        }
    }

    @MainActor @Test("A look-up that fails after a change shows nobody as signed out")
    func failedLookUp() async throws {
        let store = FaultyTokenStore()
        try await client(configuration(("work", "a")), store: store).signIn(with: "work")
        let session = IdentityState(try client(configuration(("work", "a")), store: store))
        var states = session.states().makeAsyncIterator()
        #expect(await states.next() == .unknown)
        let reads = store.count(of: .read)
        store.fail(.read, with: TokenStoreError.locked(detail: "d"))
        try session.client.reload(configuration(("work", "b")))
        while store.count(of: .read) == reads { await Task.yield() }
        store.heal()
        try session.client.reload(configuration(("work", "c")))
        #expect(await states.next() == .signedIn(.ada("work")))
    }

    @Test("A configuration that cannot be used changes nothing")
    func rejected() async throws {
        let client = try client(configuration(("work", "a")))
        try await client.signIn()
        #expect(throws: TestError.self) { try client.reload(configuration(("work", "broken"))) }
        var moved = configuration(("work", "a"))
        moved.store = .file(folder: "/elsewhere")
        #expect(throws: ConfigurationError.storeChanged) { try client.reload(moved) }
        #expect(try client.reload(configuration(("work", "a"))).isEmpty)
        #expect(try await client.accessToken() == "token of work/ada")
        let other = IdentityClient(
            provider: ScriptedProvider("x"), environment: IdentityEnvironment(store: MemoryTokenStore()))
        #expect(throws: ClientError.notConfigurable) { try other.reload(configuration(("work", "a"))) }
    }

    @Test("A changed file takes effect, a broken one is reported and changes nothing")
    func follow() async throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        let file = folder.file("identity.json")
        let client = try client(configuration(("work", "a")), time: clock.timeSource)
        let events = client.events()
        func write(_ text: String) throws { try Data(text.utf8).write(to: file, options: .atomic) }
        try write(#"{"providers": [{"name": "work", "type": "session", "settings": {"label": "a"}}]}"#)
        let following = Task { await client.follow(file, every: .seconds(1)) }
        func nextLook() async {
            while clock.sleeperCount == 0 { await Task.yield() }
            clock.advance(by: .seconds(1))
        }
        await nextLook()
        try write(#"{"providers": [{"name": "home", "type": "session", "settings": {"label": "a"}}]}"#)
        await nextLook()
        var received: [IdentityEvent] = []
        var iterator = events.makeAsyncIterator()
        while received.isEmpty, let event = await iterator.next() { received.append(event) }
        #expect(
            received == [
                .configurationChanged(
                    ConfigurationChange(
                        from: configuration(("work", "a")), to: configuration(("home", "a"))))
            ])
        await nextLook()
        try write("{")
        await nextLook()
        guard case .configurationRejected(let reason) = await iterator.next() else {
            Issue.record("a broken file is reported")
            return
        }
        #expect(reason.hasPrefix("The configuration is not JSON"))
        try await client.signIn(with: "home")
        following.cancel()
        await following.value
    }

    @Test("A file that is missing from the start is reported")
    func missingFile() async throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        let client = try client(configuration(("work", "a")), time: clock.timeSource)
        var events = client.events().makeAsyncIterator()
        let following = Task { await client.follow(folder.file("identity.json")) }
        guard case .configurationRejected(let reason)? = await events.next() else {
            Issue.record("a missing file is reported")
            return
        }
        #expect(reason.contains(folder.file("identity.json").path))
        following.cancel()
        await following.value
    }

    @Test("Ten thousand token calls while the configuration changes a hundred times: none fails, none is another's")
    func load() async throws {
        let client = try client(configuration(("work", "0"), ("home", "0")))
        try await client.signIn(with: "home")
        try await client.signIn(with: "work")
        let calls = 10_000
        let done = Locked(0)
        let wrong = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var wrong: [String] = []
                    for _ in 0..<calls / 8 {
                        let token = try await client.accessToken()
                        if token != "token of work/ada" { wrong.append(token) }
                        done.withLock { $0 += 1 }
                    }
                    return wrong
                }
            }
            group.addTask {
                for round in 1...100 {
                    // Spread over the calls, whatever the machine's speed.
                    while done.withLock({ $0 }) < round * calls / 101 { await Task.yield() }
                    let label = "\(round)"
                    switch round % 4 {
                    case 0: try client.reload(configuration(("work", label), ("home", "0")))
                    case 1: try client.reload(configuration(("home", label), ("work", "0")))
                    case 2: try client.reload(configuration(("new", label), ("work", "0"), ("home", label)))
                    default: try client.reload(configuration(("work", label)))
                    }
                }
                return []
            }
            return try await group.reduce(into: [String]()) { $0 += $1 }
        }
        #expect(done.withLock { $0 } == calls)
        #expect(wrong == [])
    }

    @Test("Another client of the same store that chooses another account is followed")
    func otherClient() async throws {
        let environment = IdentityEnvironment(store: MemoryTokenStore(), variables: [:])
        let clients = try (0..<2).map { _ in
            try IdentityClient(
                configuration: configuration(("work", "a"), ("home", "a")),
                registry: ProviderRegistry([SessionPlugin.self]), environment: environment)
        }
        try await clients[0].signIn(with: "work")
        #expect(try await clients[1].accessToken() == "token of work/ada")
        try await clients[0].signIn(with: "home")
        while try await clients[1].accessToken() != "token of home/ada" { await Task.yield() }
    }
}
