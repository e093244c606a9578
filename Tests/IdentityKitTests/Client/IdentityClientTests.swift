import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct IdentityClientTests {
    private let environment = IdentityEnvironment(store: MemoryTokenStore())

    private func client(_ provider: any SessionProvider) -> IdentityClient {
        IdentityClient(provider: provider, environment: environment)
    }

    private func events(of client: IdentityClient, _ count: Int) async -> [IdentityEvent] {
        var events: [IdentityEvent] = []
        for await event in client.events() {
            events.append(event)
            if events.count == count { break }
        }
        return events
    }

    @Test("A sign-in makes the account active, and a late listener learns it")
    func signIn() async throws {
        let client = client(ScriptedProvider("work", interactive: .account("ada")))
        let account = try await client.signIn()
        #expect(account == AccountID(account: "ada", realm: "work"))
        #expect(await events(of: client, 1) == [.signedIn(account)])
        #expect(try await client.accessToken() == "token of work/ada")
    }

    @Test("Nobody signed in is an error that says why, provider by provider")
    func notSignedIn() async throws {
        let provider = ScriptedProvider("work", silent: .absent(.signedOut))
        let client = client(try IdentityProviderChain([.init("work", provider)]))
        #expect(try await client.account() == nil)
        await #expect(throws: ClientError.notSignedIn("work: the user signed out")) { try await client.accessToken() }
        await #expect(throws: ClientError.self) { try await client.signIn() }
    }

    @Test("A token refused with 401 is replaced once and the request sent once more")
    func retriesOnce() async throws {
        let server = try await LocalHTTPServer.start { request in
            request.bearerToken == "newer token of work/ada" ? .text("hello") : .text("no", status: 401)
        }
        let provider = ScriptedProvider("work", silent: .account("ada"))
        let (body, response) = try await client(provider).data(for: URLRequest(url: server.url))
        #expect(response.statusCode == 200)
        #expect(String(decoding: body, as: UTF8.self) == "hello")
        #expect(server.log.map(\.status) == [401, 200])
        #expect(provider.calls == ["silent", "accessToken", "replace"])
        await server.stop()
    }

    @Test("A second 401 is the answer")
    func givesUp() async throws {
        let server = try await LocalHTTPServer.start { _ in .text("no", status: 401) }
        let provider = ScriptedProvider("work", silent: .account("ada"))
        let (_, response) = try await client(provider).data(for: URLRequest(url: server.url))
        #expect(response.statusCode == 401)
        #expect(server.log.count == 2)
        await server.stop()
    }

    @Test("A token is never sent in the clear to another machine", .guards("end-to-end TLS"))
    func insecure() async throws {
        let client = client(ScriptedProvider("work", silent: .account("ada")))
        let url = try #require(URL(string: "http://api.example.com/resource"))
        await #expect(throws: ClientError.insecureRequest("api.example.com")) {
            try await client.data(for: URLRequest(url: url))
        }
    }

    @Test("A scheme in capital letters is the same scheme")
    func capitalScheme() async throws {
        let client = client(ScriptedProvider("work", silent: .absent(.neverSignedIn)))
        let url = try #require(URL(string: "HTTPS://api.example.com/resource"))
        // It gets as far as asking who is signed in.
        await #expect(throws: ClientError.notSignedIn(AbsenceReason.neverSignedIn.description)) {
            try await client.data(for: URLRequest(url: url))
        }
    }

    @Test("Signing out ends the active account's session")
    func signOut() async throws {
        let provider = ScriptedProvider("work", silent: .account("ada"))
        let client = client(provider)
        try await client.signOut()
        #expect(provider.calls.last == "signOut")
        #expect(await events(of: client, 1) == [.signedOut])
    }

    @Test("Another provider takes over while the app runs")
    func swap() async throws {
        let client = client(ScriptedProvider("work", silent: .account("ada")))
        #expect(try await client.account()?.realm == "work")
        client.use(ScriptedProvider("home", silent: .account("bob")))
        #expect(try await client.accessToken() == "token of home/bob")
    }

    @Test("The device token is stored by the first sign-in, and then kept")
    func deviceToken() async throws {
        _ = try await client(ScriptedProvider("work", silent: .account("ada"))).account()
        #expect(try await environment.store.records(in: .device).records.isEmpty)
        _ = try await client(ScriptedProvider("work", silent: .account("ada"))).signIn()
        let first = try await environment.store.records(in: .device).records
        _ = try await client(ScriptedProvider("work", silent: .account("ada"))).signIn()
        #expect(try await environment.store.records(in: .device).records == first)
        #expect(first.first?.content?.count == 32)
    }
}
