import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Refusals that say little, as the servers of MCP's conformance suite send them.
@Suite("A refusal without a reason", .endsInTime) struct BareRefusalTests {
    @Test("Refusing a token, it leads to a sign-in, once")
    func token() async throws {
        let fixture = try await MCPFixture()
        let client = try fixture.client()
        #expect(try await client.data(for: fixture.request(), mayShowSignIn: true).1.statusCode == 200)
        fixture.behave { [notes = fixture.notes] request, base, _ in
            request.path == "/mcp" && notes.pages < 2 ? MCPFixture.challenge(base) : nil
        }
        #expect(try await client.data(for: fixture.request()).1.statusCode == 401)
        #expect(try await client.data(for: fixture.request(), mayShowSignIn: true).1.statusCode == 200)
        #expect(fixture.notes.pages == 2)
        await fixture.stop()
    }

    @Test("Refusing a token while the resource's metadata fails, it leaves the known server in use")
    func failingMetadata() async throws {
        let fixture = try await MCPFixture()
        let client = try fixture.client()
        #expect(try await client.data(for: fixture.request(), mayShowSignIn: true).1.statusCode == 200)
        fixture.behave { request, base, _ in
            request.path == "/mcp" ? MCPFixture.challenge(base) : LocalResponse(status: 503)
        }
        await #expect(throws: (any Error).self) {
            try await client.data(for: fixture.request(), mayShowSignIn: true)
        }
        fixture.behave { request, _, _ in request.path == "/mcp" ? nil : LocalResponse(status: 503) }
        fixture.notes.fixture.clock.advance(by: .seconds(3600))
        #expect(try await client.data(for: fixture.request()).1.statusCode == 200)
        #expect(fixture.notes.pages == 1)
        await fixture.stop()
    }

    /// A resource that has moved to another server since a person signed in.
    private func moved() async throws -> (MCPFixture, other: ResourceFixture) {
        let (fixture, other) = (try await MCPFixture(), try await ResourceFixture())
        _ = try await fixture.client().data(for: fixture.request(), mayShowSignIn: true)
        fixture.behave { [other] request, base, _ in
            switch request.path {
            case MCPFixture.ownDocument: MCPFixture.document(base + "/mcp", other.server.issuer)
            case "/mcp": other.pages == 0 ? MCPFixture.challenge(base) : nil
            default: nil
            }
        }
        return (fixture, other)
    }

    @Test("From a resource that has moved, it leads to its new server, also after another start")
    func movedResource() async throws {
        let (fixture, other) = try await moved()
        let client = try fixture.client(
            prompter: ScriptedPrompter([PromptAnswer(values: [:], action: "continue")]), browser: other.fixture.browser)
        #expect(try await client.data(for: fixture.request(), mayShowSignIn: true).1.statusCode == 200)
        #expect(other.pages == 1 && other.server.counters.registrations == 1)
        #expect(fixture.notes.server.counters.refreshes == 0)
        await other.server.stop()
        await fixture.stop()
    }

    @Test(
        "From a resource that has moved, the session waits for its person, who need not wait for it",
        arguments: [(true, false), (true, true), (false, false)])
    func movedSilently(isExpired: Bool, asksFirst: Bool) async throws {
        let (fixture, other) = try await moved()
        if isExpired { fixture.notes.fixture.clock.advance(by: .seconds(3600)) }
        let client = try fixture.client(
            prompter: ScriptedPrompter([PromptAnswer(values: [:], action: "continue")]), browser: other.fixture.browser)
        if isExpired {
            let error = await #expect(throws: SessionError.self) { try await client.data(for: fixture.request()) }
            #expect(error?.failureCode == "session_suspended" && error?.asksForSignIn == true)
            #expect(error?.message.contains("sends you to 127.0.0.1") == true)
        } else {
            #expect(try await client.data(for: fixture.request()).1.statusCode == 401)
        }
        if asksFirst { try await client.requestAuthorization(scopes: []) }
        #expect(try await client.data(for: fixture.request(), mayShowSignIn: true).1.statusCode == 200)
        #expect(other.pages == 1 && fixture.notes.server.counters.refreshes == 0)
        await other.server.stop()
        await fixture.stop()
    }

    @Test("A resource that names another server for a while changes nothing for a program that goes on")
    func movedForAWhile() async throws {
        let (fixture, other) = (try await MCPFixture(), try await ResourceFixture())
        let client = try fixture.client()
        #expect(try await client.data(for: fixture.request(), mayShowSignIn: true).1.statusCode == 200)
        let documents = fixture.words(at: MCPFixture.ownDocument).count
        fixture.behave { [other] request, base, _ in
            request.path == MCPFixture.ownDocument ? MCPFixture.document(base + "/mcp", other.server.issuer) : nil
        }
        fixture.notes.fixture.clock.advance(by: .seconds(86_400))
        #expect(try await client.data(for: fixture.request()).1.statusCode == 200)
        #expect(fixture.words(at: MCPFixture.ownDocument).count > documents)
        fixture.behave { _, _, _ in nil }
        fixture.notes.fixture.clock.advance(by: .seconds(3600))
        #expect(try await client.data(for: fixture.request()).1.statusCode == 200)
        #expect(fixture.notes.server.counters.refreshes == 2 && fixture.notes.pages == 1)
        await other.server.stop()
        await fixture.stop()
    }

    @Test("By the scheme DPoP, it asks for bound tokens where the server has them (RFC 9449 section 7.1)")
    func bound() async throws {
        let fixture = try await MCPFixture { request, base, _ in
            guard request.path == "/mcp", request.authorization?.hasPrefix("DPoP ") != true else { return nil }
            let value = "DPoP resource_metadata=\"\(base)\(MCPFixture.ownDocument)\""
            return LocalResponse(status: 401, headers: [("WWW-Authenticate", value)])
        }
        let (_, response) = try await fixture.client().data(for: fixture.request(), mayShowSignIn: true)
        #expect(response.statusCode == 200)
        #expect(fixture.page?["dpop_jkt"] != nil)
        await fixture.stop()
    }
}
