import Foundation
import IdentityKit
import IdentityTesting
import OwnParts
import Testing

/// The parts keep the rules of what they stand in for, and work together.
@Suite(.timeLimit(.minutes(5))) struct OwnPartsTests {
    private let server = LanternStandIn()

    @Test("The store keeps the rules of token stores, plain and sealed", arguments: TokenStoreConformance.checks)
    func store(check: TokenStoreConformance.Check) async throws {
        let store = CountedStore(DictionaryStore())
        try await check.run { store }
        let sealed = DictionaryStore().sealed(storeID: "shop", key: ShopKey())
        try await check.run { sealed }
    }

    @Test("A full dictionary keeps what it has") func fullStore() async throws {
        let store = DictionaryStore(capacity: 1)
        let (ada, grace) = (StoreKey(.accounts, "ada"), StoreKey(.accounts, "grace"))
        try await store.write(Data(), for: ada, replacing: 0)
        await #expect(throws: TokenStoreError.full(path: "the dictionary")) {
            try await store.write(Data(), for: grace, replacing: 0)
        }
        #expect(try await store.write(nil, for: ada, replacing: 1).generation == 2)
    }

    @Test("A person signs in, works longer than a token lasts, and signs out") func wholeDay() async throws {
        let (clock, script) = (ManualClock(), Script())
        let transport = NamedTransport(app: "shop/1", over: server)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let shop = try Workshop(
            Workshop.configuration(of: Self.server), transport: transport, terminal: script.terminal,
            observers: [LinePrinter(from: .debug) { line.yield($0) }], time: clock.dates)

        let ada = try await shop.signIn(as: "ada")
        #expect(ada == AccountID(account: "ada", realm: "lantern"))
        #expect(script.shown.contains("A password has at least 8 characters."))
        #expect(script.shown.contains("Problem: Name or password is wrong."))
        #expect(try await shop.people().map { $0.hasPrefix("* lantern/ada Ada Lovelace") } == [true])
        #expect(try await shop.token() == "token-1")
        #expect(try await shop.orders(at: Self.orders) == Data(#"["lamp"]"#.utf8))

        clock.advance(by: .seconds(601))
        #expect(try await shop.token() == "token-2")
        await server.forgetToken()
        let response = try await shop.send(URLRequest(url: Self.orders)) { try await transport.data(for: $0).1 }
        #expect(response.statusCode == 200)
        #expect(try await shop.size(of: Self.orders) == 8)
        #expect(transport.streamed == 8)

        try await shop.client.signOut()
        #expect(await server.revoked == ["refresh-3"])
        #expect(await server.agents == ["shop/1"])
        let trail = await (shop.store.wrapped as? DictionaryStore)?.auditTrail(of: ada, before: nil, limit: 10)
        #expect(trail?.first?.action == .signOut && trail?.contains { $0.action == .refresh } == true)
        // Without an account the guest would be asked.
        let error = await #expect(throws: SessionError.self) { try await shop.client.accessToken(as: ada) }
        #expect(error.map { Complaint($0).help } == .signIn)
        #expect(try shop.reload(Workshop.document) == ["gone: guest", "changed: lantern"])
        #expect(await shop.close())

        // Observers are called in the order of the events, by a task of their own.
        let expected: Set = ["client.signed_in", "refresh.began", "refresh.stored", "client.signed_out"]
        var names: Set<String> = []
        for await line in lines {
            names.insert(String(line.drop { $0 != " " }.dropFirst().prefix { $0 != ":" }))
            if names.isSuperset(of: expected) { break }
        }
        #expect(names.isSuperset(of: expected))
    }

    @Test("The sign-in has the shop's own look, in the person's language") func look() async throws {
        let engine = SignInEngine()
        let shop = try Workshop(
            IdentityConfiguration(parsing: Workshop.document, profile: "shop", variables: [:]), transport: server,
            terminal: Script().terminal, prompter: engine, only: "lantern")
        let look = Look(languages: ["de-AT"])
        let following = Task { await engine.follow(shop.client) }
        defer { following.cancel() }
        let ada = AccountID(account: "ada", realm: "lantern")
        var (hasBegun, texts) = (false, Set<String>())
        for await screen in await engine.screens() {
            let actions = screen.rows(.english, at: Date()).compactMap {
                if case .button(let button) = $0 { button.action } else { nil }
            }
            if actions.contains(.continueAs(ada)) { break }
            texts.formUnion(look.lines(of: screen))
            if actions.contains(.answer("go")) {
                await look.fill(engine, with: ["user": "ada", "password": "Enchantress-1"])
            } else if !hasBegun, actions.contains(.signIn("lantern")) {
                hasBegun = true
                await look.fill(engine, with: [:])
            }
        }
        #expect(texts.isSuperset(of: ["# Im Laden anmelden", "# Laterne"]))
        #expect(try await shop.client.account() == ada)
    }

    @Test("A session of an earlier version is taken over, and handed over again") func takeover() async throws {
        let address = Self.server.absoluteString
        let backend = SessionBackend(type: LanternPlugin.type, backend: address) { _, _ in
            .refused(reason: "nobody refreshes here")
        }
        let environment = IdentityEnvironment(store: DictionaryStore())
        let sessions = ProviderSessions(backend, in: ProviderContext(name: "lantern", environment: environment))
        let said = try await Workshop.takeOver("kept", of: "ada", by: sessions, from: address) {}
        #expect(said == "lantern/ada stays signed in")
        let ada = AccountID(account: "ada", realm: "lantern")
        #expect(try await Workshop.handOver(ada, by: sessions) == "kept")
    }

    @Test("The badge answers where nobody is signed in") func chain() async throws {
        let door = AccountID(account: "door", realm: "badge")
        let identity = try Workshop.chain(
            FakeIdentity(.signedOut), badge: BadgeProvider(account: door) { "badge-1" }, store: DictionaryStore(),
            observers: IdentityEnvironment(store: DictionaryStore()).observers)
        #expect(try await identity.activeAccount(scopes: [], deviceToken: "") == door)
        #expect(try await identity.token() == "badge-1")
    }

    private static let server = address("https://lantern.example")
    private static let orders = address("https://lantern.example/orders")

    private static func address(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: text) }
}
