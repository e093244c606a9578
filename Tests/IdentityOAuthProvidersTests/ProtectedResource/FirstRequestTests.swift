import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How a resource is asked who issues tokens for it.
@Suite("The first request to a resource", .endsInTime) struct FirstRequestTests {
    @Test(
        "The app's own request is the question, where it can be sent again",
        arguments: [nil, "initialize", "server/discover"])
    func ownRequest(message: String?) async throws {
        let fixture = try await MCPFixture()
        let (_, response) = try await fixture.client().data(
            for: fixture.request(message: message), mayShowSignIn: true)
        #expect(response.statusCode == 200 && !response.isAnonymous)
        let word = message.map { "POST " + $0 } ?? "GET"
        #expect(fixture.words() == [word, word])
        await fixture.stop()
    }

    @Test("Any other request waits for its token, and the resource is asked by the protocol's first message")
    func otherRequest() async throws {
        let fixture = try await MCPFixture()
        let (_, response) = try await fixture.client().data(
            for: fixture.request(message: "tools/call"), mayShowSignIn: true)
        #expect(response.statusCode == 200)
        #expect(fixture.words() == ["POST server/discover", "POST tools/call"])
        await fixture.stop()
    }

    @Test("A body that is a stream is sent once")
    func stream() async throws {
        let fixture = try await MCPFixture()
        var request = try fixture.request(message: "initialize")
        let body = try #require(request.httpBody)
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: body)
        _ = try? await fixture.client().data(for: request, mayShowSignIn: true)
        #expect(fixture.words().first == "POST server/discover")
        await fixture.stop()
    }

    @Test("What the refusal asks for is asked of the person, in whatever quotes")
    func challenge() async throws {
        for quote in ["\"", "'"] {
            let fixture = try await MCPFixture { request, base, issuer in
                if request.path == "/named" { return MCPFixture.document(base + "/mcp", issuer) }
                guard request.path == "/mcp", request.authorization == nil else { return nil }
                let value =
                    "Basic realm=\(quote)x, y\(quote), Bearer error=\(quote)insufficient_user_authentication\(quote), "
                    + "max_age=\(quote)60\(quote), scope=\(quote)read write\(quote), "
                    + "resource_metadata=\(quote)\(base)/named\(quote)"
                return LocalResponse(status: 401, headers: [("WWW-Authenticate", value)])
            }
            _ = try await fixture.client().data(for: fixture.request(), mayShowSignIn: true)
            #expect(fixture.words(at: "/named") == ["GET"])
            #expect(fixture.page?["max_age"] == "60")
            #expect(fixture.page?["scope"] == "read write offline_access")
            await fixture.stop()
        }
    }

    @Test("A refusal that led to no server, such as one of a firewall, is not kept")
    func firewall() async throws {
        let fixture = try await MCPFixture { request, _, _ in
            request.path == "/mcp" ? .html("Not from here", status: 403) : LocalResponse(status: 404)
        }
        let client = try fixture.client()
        await #expect(throws: (any Error).self) {
            try await client.data(for: fixture.request(), mayShowSignIn: true)
        }
        fixture.behave { request, base, issuer in
            switch request.path {
            case "/mcp" where request.authorization == nil:
                LocalResponse(
                    status: 401, headers: [("WWW-Authenticate", "Bearer resource_metadata=\"\(base)/named\"")])
            case "/named": MCPFixture.document(base + "/mcp", issuer)
            case MCPFixture.ownDocument: LocalResponse(status: 404)
            default: nil
            }
        }
        #expect(try await client.data(for: fixture.request(), mayShowSignIn: true).1.statusCode == 200)
        await fixture.stop()
    }

    @Test("A success without a token is the result, and only the client can mark it")
    func anonymous() async throws {
        let fixture = try await MCPFixture { request, _, _ in
            request.path == "/mcp" && request.message == "initialize" ? .json(["open": true]) : nil
        }
        let client = try fixture.client()
        let (data, response) = try await client.data(for: fixture.request(message: "initialize"), mayShowSignIn: true)
        #expect(response.isAnonymous && String(decoding: data, as: UTF8.self).contains("open"))
        #expect((response.copy() as? HTTPURLResponse)?.isAnonymous == true)
        #expect(fixture.notes.pages == 0)
        #expect(try await client.account() == nil)

        fixture.behave { request, _, _ in
            request.path == "/mcp" && request.authorization != nil
                ? .json([:]).with(header: "Identity-Anonymous", "true") : nil
        }
        #expect(try await !client.data(for: fixture.request(), mayShowSignIn: true).1.isAnonymous)
        await fixture.stop()
    }

    @Test("The session of initialize is deleted again, and GET comes last")
    func probe() async throws {
        let fixture = try await MCPFixture { request, base, _ in
            guard request.path == "/mcp", request.authorization == nil else { return nil }
            switch request.word {
            case "POST server/discover": return .json(["error": ["code": -32601]], status: 400)
            case "POST initialize": return .json([:]).with(header: "Mcp-Session-Id", "s1")
            default: return nil
            }
        }
        try await fixture.client().signIn()
        #expect(fixture.words() == ["POST server/discover", "POST initialize", "DELETE", "GET"])
        #expect(fixture.deletedSession == "s1")
        await fixture.stop()
    }

    @Test("Questions end after five seconds, and the documents are looked for all the same")
    func slow() async throws {
        let fixture = try await MCPFixture()
        let gate = AnswerGate()
        fixture.mcp.fail(.holdAnswer(gate), pathPrefix: "/mcp")
        let client = try fixture.client()
        let signIn = Task { try await client.signIn() }
        await gate.waitForAnswer()
        fixture.notes.fixture.clock.advance(by: .seconds(5))
        _ = try await signIn.value
        gate.open()
        #expect(fixture.words(at: MCPFixture.ownDocument) == ["GET"])
        await fixture.stop()
    }

    @Test("A step-up after the first sign-in is shown, once")
    func stepUp() async throws {
        let notes = try await ResourceFixture()
        let (_, response) = try await notes.client().data(for: notes.request(method: "POST"), mayShowSignIn: true)
        #expect(response.statusCode == 200)
        #expect(notes.pages == 2)
        #expect(notes.fixture.requests(to: "/authorize").last?["scope"] == "read offline_access write")
        await notes.server.stop()
    }
}
