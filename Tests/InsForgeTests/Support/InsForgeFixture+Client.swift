import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import IdentityLocalServers

extension InsForgeFixture {
    /// A client of the fixture's server, on the fixture's clock and store.
    func client(
        store: (any TokenStore)? = nil, anonKey: String? = nil,
        _ adjust: (inout InsForgeClientOptions) -> Void = { _ in }
    ) -> InsForgeClient {
        var options = InsForgeClientOptions(
            auth: .init(storage: SharedAuthStorage(store ?? self.store)),
            global: .init(allowsLoopbackHTTP: true, logDestination: .none))
        options.time = clock.dates
        adjust(&options)
        return InsForgeClient(baseURL: server.url, anonKey: anonKey ?? server.anonKey, options: options)
    }

    /// A client in which the server's first user is signed in.
    func signedInClient(
        _ adjust: (inout InsForgeClientOptions) -> Void = { _ in }
    ) async throws -> InsForgeClient {
        let client = client(adjust)
        try await client.auth.signIn(email: server.user.email, password: server.user.password)
        return client
    }

    /// Runs `body` and stops the server, whatever happens.
    static func run(
        store: any TokenStore = MemoryTokenStore(),
        _ adjust: (inout LocalInsForgeServer.Configuration) -> Void = { _ in },
        _ body: (InsForgeFixture) async throws -> Void
    ) async throws {
        let fixture = try await InsForgeFixture(store: store, adjust)
        do {
            try await body(fixture)
        } catch {
            await fixture.server.stop()
            throw error
        }
        await fixture.server.stop()
    }

    /// Makes the access token due for refresh.
    func expire() { clock.advance(by: .seconds(15 * 60)) }

    /// A browser in which the person signs in at once.
    var person: ScriptedBrowser {
        ScriptedBrowser { try await ScriptedLogin().signIn(at: $0) }
    }

    /// Where a page leads when the person signs in on it.
    func visit(_ page: URL) async throws -> URL {
        try await ScriptedLogin().signIn(at: page)
    }

    /// The code of the last mail.
    var mailedCode: String { server.outbox.last?.code ?? "" }

    /// Where the link of the last mail leads.
    func openMailedLink() async throws -> URL {
        guard let link = server.outbox.last?.link.flatMap(URL.init(string:)) else { throw NoMail() }
        return try await visit(link)
    }

    struct NoMail: Error {}
}

/// Opens pages by remembering them: the app's `openURL`.
final class OpenedPages: Sendable {
    private let pages = Locked<[URL]>([])

    var all: [URL] { pages.withLock { $0 } }

    @Sendable func open(_ url: URL) async -> Bool {
        pages.withLock { $0.append(url) }
        return true
    }
}
