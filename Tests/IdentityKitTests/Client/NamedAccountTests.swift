import Foundation
import IdentityLocalServers
import TestSupport
import Testing

@testable import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls that name their account, beside another one that is active.
@Suite(.endsInTime) struct NamedAccountTests {
    private let ada = AccountID(account: "ada", realm: "work")
    private let bob = AccountID(account: "bob", realm: "home")
    private let work = ScriptedProvider("work", silent: .account("ada"))
    private let home = ScriptedProvider("home", silent: .account("bob"))

    private func client(
        requiresAccount: Bool = false, override: ProviderOverride? = nil
    ) throws -> IdentityClient {
        let store = MemoryTokenStore()
        let chain = try IdentityProviderChain(
            [.init("work", work), .init("home", home)], store: store, override: override)
        return IdentityClient(
            provider: chain, environment: IdentityEnvironment(store: store), requiresAccount: requiresAccount)
    }

    private func server() async throws -> LocalHTTPServer {
        try await LocalHTTPServer.start { .text($0.bearerToken ?? "none") }
    }

    private func text(_ result: (Data, HTTPURLResponse)) -> String { String(decoding: result.0, as: UTF8.self) }

    @Test("Each call acts for the account that it names, and the active one stays")
    func eachCall() async throws {
        let (client, server) = (try client(), try await server())
        let request = URLRequest(url: server.url)
        #expect(try await client.account() == ada)
        #expect(try await client.accessToken(as: bob) == "token of home/bob")
        #expect(try await client.accessToken(as: bob, freshness: .other(than: "t")) == "newer token of home/bob")
        #expect(try await client.requestAuthorization(as: bob, scopes: ["mail"]) == Data("home".utf8))
        #expect(text(try await client.data(for: request, as: bob)) == "token of home/bob")
        #expect(text(try await client.data(for: request, as: bob, mayShowSignIn: true)) == "token of home/bob")
        let authorized = try await client.authorize(request, as: bob)
        #expect(authorized.value(forHTTPHeaderField: "Authorization") == "Bearer token of home/bob")
        let again = try await client.reauthorize(authorized, as: bob)
        #expect(again?.value(forHTTPHeaderField: "Authorization") == "Bearer newer token of home/bob")
        let authorizer = client.authorizer(as: bob)
        #expect(try await authorizer.authorize(request).value(forHTTPHeaderField: "Authorization") != nil)
        #expect(!work.calls.contains("accessToken"))
        #expect(try await client.accessToken() == "token of work/ada")
        await server.stop()
    }

    @Test("A call for a named account does not follow the selection")
    func selection() async throws {
        let (client, server) = (try client(), try await server())
        for selected in [ada, bob] {
            try await client.select(selected)
            #expect(try await client.accessToken() == "token of \(selected)")
            #expect(try await client.accessToken(as: ada) == "token of work/ada")
            #expect(try await client.accessToken(as: ada, freshness: .other(than: "t")) == "newer token of work/ada")
            #expect(text(try await client.data(for: URLRequest(url: server.url), as: ada)) == "token of work/ada")
            #expect(try await client.requestAuthorization(as: ada, scopes: []) == Data("work".utf8))
        }
        await server.stop()
    }

    @Test("A named account whose session has ended never becomes another")
    func ended() async throws {
        let (client, server) = (try client(), try await server())
        let end = SessionError.ended(bob, reason: "It is over.")
        home.tokenError.withLock { $0 = end }
        await #expect(throws: end) { try await client.accessToken(as: bob) }
        await #expect(throws: end) { try await client.data(for: URLRequest(url: server.url), as: bob) }
        #expect(!work.calls.contains("accessToken") && server.log.isEmpty)
        await server.stop()
    }

    @Test("Requests for an account whose session has ended share one sign-in, and one that is cancelled leaves alone")
    func sharedSignIn() async throws {
        let (client, server, gate) = (try client(), try await server(), Gate())
        home.tokenError.withLock { $0 = SessionError.ended(bob, reason: "It is over.") }
        home.setInteractive(.account("bob"))
        home.gate.withLock { $0 = gate }
        let calls = (0..<3).map { [bob] _ in
            Task { try await client.data(for: URLRequest(url: server.url), as: bob, mayShowSignIn: true) }
        }
        let shared = IdentityClient.SignInBeside(name: "home", account: bob, scopes: [])
        while client.signIns.waiterCount(for: shared) < calls.count { await Task.yield() }
        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        home.tokenError.withLock { $0 = nil }
        await gate.open()
        for call in calls.dropFirst() { #expect(text(try await call.value) == "token of home/bob") }
        #expect(home.count(of: "signIn") == 1)
        await server.stop()
    }

    @Test("Nothing is sent when the person signs in as somebody else than the named account")
    func otherPerson() async throws {
        let (client, server) = (try client(), try await server())
        home.tokenError.withLock { $0 = SessionError.ended(bob, reason: "It is over.") }
        home.setInteractive(.account("eve"))
        let error = ClientError.otherAccount(AccountID(account: "eve", realm: "home"), insteadOf: bob)
        await #expect(throws: error) {
            try await client.data(for: URLRequest(url: server.url), as: bob, mayShowSignIn: true)
        }
        #expect(server.log.isEmpty)
        #expect(try await client.account() == ada)
        await server.stop()
    }

    @Test("A sign-in beside the active account does not ask a provider that the override excludes")
    func excluded() async throws {
        let client = try client(requiresAccount: true, override: .excluding("home"))
        await #expect(throws: ChainUsageError.self) { try await client.signIn(with: "home") }
        #expect(home.calls.isEmpty)
    }

    @Test("A client without an active account refuses each call that names none")
    func required() async throws {
        let (client, server) = (try client(requiresAccount: true), try await server())
        let request = URLRequest(url: server.url)
        let calls: [(String, () async throws -> Void)] = [
            ("account", { _ = try await client.account() }),
            ("select", { try await client.select(ada) }),
            ("signIn", { _ = try await client.signIn() }),
            ("signOut", { try await client.signOut() }),
            ("accessToken", { _ = try await client.accessToken() }),
            ("freshness", { _ = try await client.accessToken(freshness: .new) }),
            ("replacing", { _ = try await client.accessToken(freshness: .other(than: "t")) }),
            ("retryNow", { try await client.retryNow() }),
            ("requestAuthorization", { _ = try await client.requestAuthorization(scopes: []) }),
            ("data", { _ = try await client.data(for: request) }),
            ("mayShowSignIn", { _ = try await client.data(for: request, mayShowSignIn: true) }),
            ("bytes", { _ = try await client.bytes(for: request) }),
            ("upload", { _ = try await client.upload(for: request, fromFile: server.url) }),
            ("authorize", { _ = try await client.authorize(request) }),
            ("reauthorize", { _ = try await client.reauthorize(request) }),
        ]
        for (name, call) in calls {
            await #expect(throws: ClientError.accountRequired, "\(name)") { try await call() }
        }
        #expect(work.calls.isEmpty && home.calls.isEmpty && server.log.isEmpty)
        #expect(text(try await client.data(for: request, as: bob)) == "token of home/bob")
        home.setInteractive(.account("bob"))
        #expect(try await client.signIn(with: "home") == bob)
        await #expect(throws: ClientError.accountRequired) { try await client.accessToken() }
        await server.stop()
    }
}
