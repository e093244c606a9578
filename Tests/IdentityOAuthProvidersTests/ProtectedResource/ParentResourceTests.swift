import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

@testable import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A resource whose document is about a parent of it.
@Suite("A resource that a parent describes") struct ParentResourceTests {
    @Test("Counts when the document came from the parent's own place", arguments: ["", "/"])
    func parent(end: String) async throws {
        let fixture = try await MCPFixture { request, base, issuer in
            request.path.hasPrefix(MCPFixture.rootDocument) ? MCPFixture.document(base + end, issuer) : nil
        }
        let client = try fixture.client()
        #expect(try await client.data(for: fixture.request(), mayShowSignIn: true).1.statusCode == 200)
        // The document's name is asked for, and the person's address gets the token.
        #expect(fixture.page?["resource"] == fixture.base + end)
        #expect(fixture.notes.fixture.requests(to: "/token").allSatisfy { $0["resource"] == fixture.base + end })
        #expect(fixture.words(at: MCPFixture.rootDocument) == ["GET"])
        let error = await #expect(throws: OAuthError.self) { try await client.data(for: fixture.request("/other")) }
        #expect(error?.failureCode == "resource_request_outside")
        #expect(!fixture.gotToken(at: "/other"))
        await fixture.stop()
    }

    @Test("Does not count from any other place", arguments: [404, 500, 200])
    func elsewhere(rootStatus: Int) async throws {
        // Whoever may write below a host names a document that speaks for all of it.
        let fixture = try await MCPFixture { request, base, issuer in
            switch request.path {
            case "/mcp":
                LocalResponse(
                    status: 401, headers: [("WWW-Authenticate", "Bearer resource_metadata=\"\(base)/mine\"")])
            case "/mine": MCPFixture.document(base, "https://id.example.org")
            case MCPFixture.rootDocument:
                rootStatus == 200 ? MCPFixture.document(base, issuer) : LocalResponse(status: rootStatus)
            default: nil
            }
        }
        let client = try fixture.client()
        if rootStatus == 200 {
            // The parent's own document counts, and not the one that was named.
            try await client.signIn()
            #expect(fixture.page?["resource"] == fixture.base)
        } else {
            let error = await #expect(throws: (any Error).self) { try await client.signIn() }
            #expect(error?.identityFailureCode == "resource_mismatch")
            #expect(fixture.notes.pages == 0)
        }
        await fixture.stop()
    }

    @Test(
        "A name that only looks like a parent's is another resource", arguments: ["/mc", "/mcp/x", "/mcp?a=b", "/MCP"])
    func lookalike(path: String) async throws {
        let fixture = try await MCPFixture { request, base, issuer in
            request.path.hasPrefix(MCPFixture.rootDocument) ? MCPFixture.document(base + path, issuer) : nil
        }
        let error = await #expect(throws: (any Error).self) { try await fixture.client().signIn() }
        #expect(error?.identityFailureCode == "resource_mismatch")
        await fixture.stop()
    }

    static let resource = "https://notes.example.com/api/v1"

    @Test(
        "A path that servers may read in two ways is inside no resource",
        arguments: [
            "/api/v1%2Fnotes", "/api/v1/%2fnotes", "/api/v1/..%2f..", "/api/v1/%5C..%5c", "/api/v1/%255c..",
            "/api/v1/..;/admin", "/api/v1/.;x=1/admin", "/api/v1/..%3b/admin", "/api/v1/%2e%2e/admin",
            "/api/v1/%252e%252e/admin", "/api/v1/%25252e./admin", "/api/v1/%252fadmin", "/api/v1/./x", "/api/v1//x",
            "/api//v1/x", "//api/v1", "/api/v1/x/..",
        ])
    func ambiguous(path: String) throws {
        let resource = try #require(URL(string: Self.resource))
        let address = try #require(URL(string: "https://notes.example.com" + path))
        #expect(!address.isInside(resource))
        // Nor is such an address a resource.
        #expect(throws: OAuthError.self) { try ProtectedResourceMetadata.url(of: address) }
    }

    @Test("A path that is escaped very often is inside no resource either", .endsInTime)
    func escapes() throws {
        try ambiguous(path: "/api/v1/%" + String(repeating: "25", count: 200_000) + "2e%2e/admin")
    }

    @Test(
        "Any other path below the resource is inside it",
        arguments: [
            "/api/v1", "/api/v1/", "/api/v1/a;b=c", "/api/v1/..a", "/api/v1/a..", "/api/v1/a%20b", "/api/v1/%41",
            "/api/v1?x=//",
            "/api/v1/a%3Ab",
        ])
    func plain(path: String) throws {
        let resource = try #require(URL(string: Self.resource))
        for resource in [resource, try #require(URL(string: Self.resource + "/"))] {
            #expect(try #require(URL(string: "https://notes.example.com" + path)).isInside(resource))
        }
    }
}
