import Foundation
import IdentityLocalServers
import TestSupport
import Testing

@testable import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Bodies that are streams or files, under the rules for tokens.
@Suite(.endsInTime) struct RequestBodyTests {
    private let fixture = SessionsFixture()
    private let bodies = Locked<[String]>([])

    /// A client with a session whose token is `token`, and `token-1` after a refresh.
    private func client() async throws -> (IdentityClient, HelpfulProvider) {
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        let provider = HelpfulProvider(sessions: fixture.sessions())
        let environment = IdentityEnvironment(store: fixture.store, time: fixture.clock.dates, variables: [:])
        return (IdentityClient(provider: provider, environment: environment), provider)
    }

    /// A server that notes the bodies, and refuses `refused` with `status`.
    private func server(refusing refused: Set<String>, with status: Int = 401) async throws -> LocalHTTPServer {
        try await LocalHTTPServer.start { [bodies] request in
            bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            guard let token = request.bearerToken, !refused.contains(token) else {
                return .text("no", status: status)
            }
            return .text(request.header("Content-Length") ?? "none")
        }
    }

    private func post(to server: LocalHTTPServer, stream text: String? = nil) -> URLRequest {
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        if let text { request.httpBodyStream = InputStream(data: Data(text.utf8)) }
        return request
    }

    private var sent: [String] { bodies.withLock { $0 } }

    @Test("A body that can be read once is sent once, and the next request has another token")
    func once() async throws {
        let (server, (client, _)) = (try await server(refusing: ["token"]), try await client())
        #expect(try await client.data(for: post(to: server, stream: "a")).1.statusCode == 401)
        #expect(sent == ["a"])
        #expect(try await client.data(for: post(to: server, stream: "b")).1.statusCode == 200)
        #expect(sent == ["a", "b"] && fixture.backend.requests.count == 1)
        await server.stop()
    }

    @Test("A body that can be read once is sent once, also where the person could help", arguments: [401, 403])
    func onceWithPerson(status: Int) async throws {
        let server = try await server(refusing: ["token", "token-1"], with: status)
        let (client, provider) = try await client()
        // The refresh after the refusal ends the session.
        if status == 401 { fixture.backend.revoke() }
        let (_, response) = try await client.data(for: post(to: server, stream: "a"), mayShowSignIn: true)
        #expect(response.statusCode == status && sent == ["a"])
        #expect(provider.asked.withLock { $0 } == (status == 403 ? 1 : 0))
        await server.stop()
    }

    @Test("A file is sent once more after a refusal, as a whole")
    func file() async throws {
        let (server, folder) = (try await server(refusing: ["token"]), try TemporaryFolder())
        let (client, _) = try await client()
        let text = String(repeating: "line\n", count: 50_000)
        try Data(text.utf8).write(to: folder.file("report"))
        var request = post(to: server)
        request.httpBody = Data("replaced".utf8)
        let (body, response) = try await client.upload(for: request, fromFile: folder.file("report"))
        #expect(response.statusCode == 200 && String(decoding: body, as: UTF8.self) == "250000")
        #expect(sent == [text, text])
        let again = try await client.upload(for: request, fromFile: folder.file("report"), as: fixture.account)
        #expect(again.1.statusCode == 200)
        await server.stop()
    }

    @Test("Nothing is sent where there is no file to read")
    func noFile() async throws {
        let (server, folder) = (try await server(refusing: []), try TemporaryFolder())
        let (client, _) = try await client()
        let host = "127.0.0.1:\(server.url.port ?? 0)"
        for file in [folder.file("missing"), folder.url] {
            await #expect(throws: TransportError.notSent(host: host, detail: "its file cannot be read")) {
                try await client.upload(for: post(to: server), fromFile: file)
            }
        }
        #expect(sent.isEmpty)
        await server.stop()
    }

    @Test("A stream that cannot be read is no empty body")
    func unreadable() async throws {
        let (server, (client, _)) = (try await server(refusing: []), try await client())
        var request = post(to: server)
        request.httpBodyStream = InputStream(fileAtPath: MissingPath.make())
        let error = await #expect(throws: TransportError.self) { try await client.data(for: request) }
        #expect(error?.failureCode == "request_not_sent" && sent.isEmpty)
        await server.stop()
    }

    @Test("The library counts a body itself")
    func length() async throws {
        let (server, (client, _)) = (try await server(refusing: []), try await client())
        var request = post(to: server)
        request.httpBody = Data("four".utf8)
        request.setValue("1", forHTTPHeaderField: "Content-Length")
        #expect(try await client.data(for: request).0 == Data("4".utf8))
        #expect(sent == ["four"])
        await server.stop()
    }

    @Test("A body larger than what is kept is read while it arrives")
    func large() async throws {
        let size = 3 << 20
        let server = try await LocalHTTPServer.start { _ in LocalResponse(status: 200, body: Data(count: size)) }
        let (client, _) = try await client()
        let request = URLRequest(url: server.url)
        await #expect(throws: TransportError.self) { try await client.data(for: request) }
        for (parts, response) in [
            try await client.bytes(for: request), try await client.bytes(for: request, as: fixture.account),
        ] {
            var count = 0
            for try await part in parts { count += part.count }
            #expect(count == size && response.statusCode == 200)
        }
        await server.stop()
    }

    @Test("A stream does not begin in the clear")
    func clear() async throws {
        let (client, _) = try await client()
        let request = URLRequest(url: try #require(URL(string: "http://api.example.com/events")))
        await #expect(throws: ClientError.insecureRequest("api.example.com")) { try await client.bytes(for: request) }
    }
}
