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
