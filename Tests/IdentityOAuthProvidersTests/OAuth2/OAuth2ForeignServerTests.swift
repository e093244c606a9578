import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server of the Model Context Protocol that nobody here wrote. `.ci/foreign-servers/run` starts it.
@Suite("A foreign server of the Model Context Protocol", .serialized, .enabled(if: ForeignResource.isRunning))
struct ForeignServerResourceTests {
    @Test(
        "With nothing but its address: registration, sign-in, a tool, a refresh, and a restart that forgets the client")
    func wholeSession() async throws {
        let server = try ForeignResource.read()
        let store = MemoryTokenStore()
        let client = try server.client(store)
        #expect(try await server.sum(of: 2, and: 3, by: client) == "5")
        let account = try #require(try await client.account())
        let provider = try server.provider(store)
        let first = try #require(try await provider.sessions.storedCredential(of: account))
        #expect(first.scopes == ["notes:read"])
        #expect(first.refreshToken != nil)

        // The token is not needed any more: the next call has another one.
        let refreshed = try await client.accessToken(freshness: .other(than: first.accessToken.reveal()))
        #expect(refreshed != first.accessToken.reveal())
        #expect(try await server.sum(of: 20, and: 3, by: client) == "23")
        let second = try #require(try await provider.sessions.storedCredential(of: account))
        #expect(second.clientID == first.clientID)

        // A server that has lost its memory knows neither the client nor the token.
        try await server.restart()
        // It says so twice, half a minute apart, before the session is suspended and the client registers anew.
        await #expect(throws: OAuthError.self) { try await server.sum(of: 1, and: 1, by: client) }
        let later = TimeSource(now: { Date() + 31 }, sleep: { try await TimeSource.system.sleep(for: $0) })
        #expect(try await server.sum(of: 1, and: 1, by: server.client(store, time: later)) == "2")
        let third = try #require(try await provider.sessions.storedCredential(of: account))
        #expect(third.clientID != first.clientID)
        try await client.signOut()
    }
}

/// The server, as its script describes it.
private struct ForeignResource: Decodable {
    let resource: URL
    let process: Int32

    private static var path: String? { ProcessInfo.processInfo.environment["IDENTITY_FOREIGN_RESOURCE"] }
    static var isRunning: Bool { path != nil }

    static func read() throws -> ForeignResource {
        try JSONDecoder().decode(
            ForeignResource.self, from: Data(contentsOf: URL(fileURLWithPath: try #require(path))))
    }

    private func environment(_ store: any TokenStore, _ time: TimeSource = .system) -> IdentityEnvironment {
        let person = ScriptedLogin(answers: [:])
        return IdentityEnvironment(
            store: store, webAuthenticator: ScriptedBrowser(port: 8913) { try await person.signIn(at: $0) }, time: time)
    }

    func client(_ store: any TokenStore, time: TimeSource = .system) throws -> IdentityClient {
        let settings: JSONValue = ["resource": .string(resource.absoluteString), "allowsLoopbackHTTP": true]
        return try IdentityClient(
            configuration: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "notes", type: "protected-resource", settings: settings)]),
            registry: ProviderRegistry([ProtectedResourcePlugin.self]), environment: environment(store, time))
    }

    func provider(_ store: any TokenStore) throws -> OAuthSessionProvider {
        OAuthSessionProvider(
            ProtectedResourceSettings(resource: resource, client: .unregistered(.loopbackHTTPAllowed)).server,
            context: ProviderContext(name: "notes", environment: environment(store)))
    }

    /// Lets the server's one tool add two numbers.
    func sum(of one: Int, and other: Int, by client: IdentityClient) async throws -> String? {
        let (_, session) = try await call(
            "initialize",
            [
                "protocolVersion": "2025-06-18", "capabilities": [:],
                "clientInfo": ["name": "Swift example", "version": "1"],
            ], in: nil, by: client)
        _ = try await call("notifications/initialized", nil, in: session, by: client)
        let (response, _) = try await call(
            "tools/call",
            ["name": "add", "arguments": ["one": .integer(Int64(one)), "other": .integer(Int64(other))]],
            in: session, by: client)
        return response?["result"]?["content"]?.arrayValue?.first?["text"]?.stringValue
    }

    /// Calls a method, or sends a notification, over the protocol's HTTP transport.
    private func call(
        _ method: String, _ parameters: JSONValue?, in session: String?, by client: IdentityClient
    ) async throws -> (response: JSONValue?, session: String?) {
        var message: [String: JSONValue] = ["jsonrpc": "2.0", "method": .string(method)]
        message["params"] = parameters
        if parameters != nil { message["id"] = 1 }
        var request = URLRequest(url: resource)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json, text/event-stream", forHTTPHeaderField: "Accept")
        request.setValue(session, forHTTPHeaderField: "Mcp-Session-Id")
        request.httpBody = try JSONEncoder().encode(message)
        let (data, head) = try await client.data(for: request, mayShowSignIn: true)
        #expect([200, 202].contains(head.statusCode), "\(method): \(head.statusCode)")
        // A response is an event of a stream.
        let event = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).first {
            $0.hasPrefix("data:")
        }
        let response = try event.map { try JSONValue(parsing: Data($0.dropFirst("data:".utf8.count).utf8)) }
        return (response, head.value(forHTTPHeaderField: "Mcp-Session-Id") ?? session)
    }

    /// Restarts the server, and waits until it has.
    func restart() async throws {
        func token() async throws -> Int {
            try await DefaultTransport.make().data(for: URLRequest(url: resource)).1.statusCode
        }
        #expect(kill(process, SIGHUP) == 0)
        var attempts = 0
        // First it is gone, then it is there again.
        while (try? await token()) != nil, attempts < 200 {
            attempts += 1
            try await Task.sleep(for: .milliseconds(10))
        }
        while (try? await token()) == nil, attempts < 2000 {
            attempts += 1
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
