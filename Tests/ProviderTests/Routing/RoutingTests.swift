import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests that go to the account whose provider names their address, beside another one that is active.
@Suite(.endsInTime) struct RoutingTests {
    /// Two people, of whom the one at InsForge is active, and an API that the other one's provider names.
    private struct Scene {
        let backends: TwoBackends
        let client: IdentityClient
        /// The named API, and one that nobody names. Both answer with the token that they got.
        let api: LocalHTTPServer
        let other: LocalHTTPServer
        let ada: TwoBackends.Person
        let grace: TwoBackends.Person

        init(_ change: (inout IdentityConfiguration) -> Void = { _ in }) async throws {
            backends = try await TwoBackends()
            api = try await LocalHTTPServer.start { .text($0.bearerToken ?? "none") }
            other = try await LocalHTTPServer.start { .text($0.bearerToken ?? "none") }
            (ada, grace) = (backends.person(.first, at: .insforge), backends.person(.first, at: .thunderid))
            client = try backends.client()
            var configuration = backends.configuration()
            for index in configuration.providers.indices where configuration.providers[index].name == "thunderid" {
                configuration.providers[index].sendsTo = [api.url.appendingPathComponent("v1")]
            }
            change(&configuration)
            try client.reload(configuration)
            try await backends.signIn(ada, with: client)
            try await backends.signIn(grace, with: client)
            try await client.select(ada.account)
        }

        func request(_ path: String, to server: LocalHTTPServer? = nil) throws -> URLRequest {
            URLRequest(url: try #require(URL(string: (server ?? api).url.absoluteString + path)))
        }

        func isSent(_ path: String, to server: LocalHTTPServer? = nil, of person: TwoBackends.Person) async throws
            -> Bool
        {
            let (data, _) = try await client.data(for: request(path, to: server))
            return try await String(decoding: data, as: UTF8.self) == client.accessToken(as: person.account)
        }

        func stop() async {
            await api.stop()
            await other.stop()
            await backends.stop()
        }
    }

    @Test("The provider that names the address acts there, and the active account everywhere else")
    func named() async throws {
        let scene = try await Scene()
        #expect(try await scene.isSent("/v1/notes", of: scene.grace))
        #expect(try await scene.isSent("/v10", of: scene.ada))
        #expect(try await scene.isSent("/v1", to: scene.other, of: scene.ada))
        let token = try await scene.client.accessToken(as: scene.grace.account)
        let authorized = try await scene.client.authorize(scene.request("/v1"))
        #expect(authorized.value(forHTTPHeaderField: "Authorization") == "Bearer \(token)")
        let again = try await scene.client.reauthorize(authorized)
        let newer = try await scene.client.accessToken(as: scene.grace.account)
        #expect(newer != token && again?.value(forHTTPHeaderField: "Authorization") == "Bearer \(newer)")
        // An account that the call names comes first.
        let (data, _) = try await scene.client.data(for: scene.request("/v1"), as: scene.ada.account)
        #expect(
            try await String(decoding: data, as: UTF8.self) == scene.client.accessToken(as: scene.ada.account))
        #expect(try await scene.client.account() == scene.ada.account)
        await scene.stop()
    }

    @Test("Nothing is sent while nobody is signed in where the address is named, until the person signs in there")
    func nobody() async throws {
        let scene = try await Scene()
        try await scene.client.signOut(as: scene.grace.account)
        let request = try scene.request("/v1")
        for call in [
            { _ = try await scene.client.data(for: request) }, { _ = try await scene.client.authorize(request) },
            { _ = try await scene.client.bytes(for: request) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: ClientError.self) { try await call() }
            #expect(error?.failureCode == "not_signed_in")
        }
        #expect(scene.api.log.isEmpty)
        // The person who signs in is still the one that the scene let sign in last.
        let (data, _) = try await scene.client.data(for: request, mayShowSignIn: true)
        let token = try await scene.client.accessToken(as: scene.grace.account)
        #expect(String(decoding: data, as: UTF8.self) == token)
        #expect(try await scene.client.account() == scene.ada.account)
        // The session ends at its server, which the next refresh finds out.
        scene.backends.revoke(scene.grace.account, at: .thunderid)
        _ = try? await scene.client.accessToken(as: scene.grace.account, freshness: .new)
        let before = scene.api.log.count
        let error = await #expect(throws: SessionError.self) { try await scene.client.data(for: request) }
        #expect(error?.asksForSignIn == true && scene.api.log.count == before)
        await scene.stop()
    }

    @Test("Of two accounts there the active one acts, and none of them while another is active")
    func several() async throws {
        let scene = try await Scene()
        let third = scene.backends.person(.second, at: .thunderid)
        try await scene.backends.signIn(third, with: scene.client)
        #expect(try await scene.isSent("/v1", of: third))
        try await scene.client.select(scene.ada.account)
        let before = scene.api.log.count
        let both = [scene.grace.account, third.account].sorted()
        await #expect(throws: ClientError.severalAccounts(both, host: "127.0.0.1")) {
            try await scene.client.data(for: scene.request("/v1"))
        }
        #expect(scene.api.log.count == before)
        await scene.stop()
    }

    @Test("A provider that names addresses sends its token nowhere else, and a path of two readings gets none")
    func elsewhere() async throws {
        let scene = try await Scene()
        let error = ClientError.notDestination(scene.grace.account, host: "127.0.0.1")
        await #expect(throws: error) {
            try await scene.client.data(for: scene.request("/v1", to: scene.other), as: scene.grace.account)
        }
        try await scene.client.select(scene.grace.account)
        await #expect(throws: error) { try await scene.client.data(for: scene.request("/v1", to: scene.other)) }
        await #expect(throws: error) { try await scene.client.authorize(scene.request("/v2")) }
        await #expect(throws: ClientError.unclearAddress(host: "127.0.0.1")) {
            try await scene.client.data(for: scene.request("/v1/%2e%2e/v2"))
        }
        #expect(scene.api.log.isEmpty && scene.other.log.isEmpty)
        await scene.stop()
    }

    @Test("Switched off, the active account acts, and a limit stays")
    func off() async throws {
        let scene = try await Scene { $0.routesByDestination = false }
        #expect(try await scene.isSent("/v1", of: scene.ada))
        let error = ClientError.notDestination(scene.grace.account, host: "127.0.0.1")
        await #expect(throws: error) {
            try await scene.client.data(for: scene.request("/v1", to: scene.other), as: scene.grace.account)
        }
        #expect(scene.other.log.isEmpty)
        let change = try scene.client.reload(scene.backends.configuration())
        #expect(change.routesByDestination == true && change.changed == ["thunderid"])
        await scene.stop()
    }
}
