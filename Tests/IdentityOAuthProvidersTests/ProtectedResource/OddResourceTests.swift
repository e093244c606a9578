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

/// Every odd shape of a resource is taken, and none of them with a rule of security broken as well.
@Suite("Odd resources, and the rules that they may not break") struct OddResourceTests {
    /// A shape that is tolerated.
    enum Shape: CaseIterable {
        case byTheBook, parent, rootDocument, apostrophes, severalChallenges, otherSlash, undescribed, usualEndpoints

        var hasMetadata: Bool { self != .usualEndpoints }

        /// The resource's document, and its refusal.
        func response(to path: String, _ base: String) -> LocalResponse? {
            switch (self, path) {
            case (.undescribed, "/mcp"), (.usualEndpoints, "/mcp"): refusal("Bearer")
            case (.apostrophes, "/mcp"): refusal("Bearer resource_metadata='\(base)/named'")
            case (.severalChallenges, "/mcp"):
                refusal("Negotiate YII=, Basic realm=\"a, b\", Bearer resource_metadata=\"\(base)/named\"")
            case (_, "/mcp"): refusal("Bearer")
            case (.apostrophes, "/named"), (.severalChallenges, "/named"), (.byTheBook, MCPFixture.ownDocument),
                (.rootDocument, MCPFixture.rootDocument):
                MCPFixture.document(base + "/mcp", base)
            case (.otherSlash, MCPFixture.ownDocument): MCPFixture.document(base + "/mcp", base + "/")
            case (.parent, MCPFixture.rootDocument): MCPFixture.document(base, base)
            default: nil
            }
        }

        private func refusal(_ challenge: String) -> LocalResponse {
            LocalResponse(status: 401, headers: [("WWW-Authenticate", challenge)])
        }
    }

    /// A rule that the server or the browser breaks.
    enum Breach: CaseIterable {
        case issuer, codeChallenge, endpoint, registration, state, iss, tokenType

        var isOfMetadata: Bool { [.issuer, .codeChallenge, .endpoint].contains(self) }
    }

    private func metadata(_ base: String, _ breach: Breach?) -> LocalResponse {
        .json([
            "issuer": .string(breach == .issuer ? "https://id.example.org" : base),
            "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(breach == .endpoint ? "http://id.example.org/token" : base + "/token"),
            "registration_endpoint": .string(base + "/register"),
            "code_challenge_methods_supported": breach == .codeChallenge ? ["plain"] : ["S256"],
        ])
    }

    private func fixture(_ shape: Shape, _ breach: Breach?) async throws -> MCPFixture {
        try await MCPFixture { request, base, _ in
            if request.path == "/mcp", request.authorization != nil { return .json([:]) }
            if let response = shape.response(to: request.path, base) { return response }
            switch request.path {
            case "/.well-known/oauth-authorization-server":
                return shape.hasMetadata ? metadata(base, breach) : LocalResponse(status: 404)
            case "/register":
                let places: JSONValue =
                    breach == .registration ? ["https://id.example.org/callback"] : ["http://127.0.0.1/callback"]
                return .json(["client_id": "odd", "redirect_uris": places], status: 201)
            case "/token":
                let type: JSONValue = breach == .tokenType ? "mac" : "Bearer"
                return .json(["access_token": "t", "token_type": type, "expires_in": 60])
            default: return LocalResponse(status: 404)
            }
        }
    }

    private func browser(_ breach: Breach?) -> ScriptedBrowser {
        ScriptedBrowser { page in
            let items = URLComponents(url: page, resolvingAgainstBaseURL: true)?.queryItems ?? []
            func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
            let state = breach == .state ? "another" : value("state")
            let iss = breach == .iss ? "&iss=https://id.example.org" : ""
            return try #require(URL(string: value("redirect_uri") + "?code=c&state=\(state)\(iss)"))
        }
    }

    @Test("A shape alone is taken", arguments: Shape.allCases)
    func taken(shape: Shape) async throws {
        let fixture = try await fixture(shape, nil)
        let client = try fixture.client(browser: browser(nil))
        let (_, response) = try await client.data(for: fixture.request(), mayShowSignIn: true)
        #expect(response.statusCode == 200 && !response.isAnonymous)
        await fixture.stop()
    }

    @Test("With a rule broken it is refused, and nothing is stored", arguments: Shape.allCases, Breach.allCases)
    func refused(shape: Shape, breach: Breach) async throws {
        guard shape.hasMetadata || !breach.isOfMetadata else { return }
        let fixture = try await fixture(shape, breach)
        let client = try fixture.client(browser: browser(breach))
        await #expect(throws: (any Error).self) {
            try await client.data(for: fixture.request(), mayShowSignIn: true)
        }
        #expect(try await fixture.store.records(in: .accounts).records.isEmpty)
        #expect(!fixture.gotToken(at: "/mcp"))
        await fixture.stop()
    }

    @Test(
        "Tokens are bound to a key where the resource takes that",
        arguments: [(["ES256"], "DPoP"), (["RS256"], "Bearer")])
    func bound(algorithms: [String], scheme: String) async throws {
        let fixture = try await MCPFixture { request, base, issuer in
            guard request.path == MCPFixture.ownDocument else { return nil }
            let offer = JSONValue.array(algorithms.map(JSONValue.string))
            return MCPFixture.document(base + "/mcp", issuer, ["dpop_signing_alg_values_supported": offer])
        }
        _ = try await fixture.client().data(for: fixture.request(), mayShowSignIn: true)
        #expect(fixture.scheme == scheme)
        await fixture.stop()

        // A program that shows the token by itself has it as a bearer token.
        let unbound = try await MCPFixture { request, base, issuer in
            guard request.path == MCPFixture.ownDocument else { return nil }
            return MCPFixture.document(
                base + "/mcp", issuer,
                ["dpop_signing_alg_values_supported": ["ES256"], "dpop_bound_access_tokens_required": true])
        }
        _ = try await unbound.client(["bindsTokens": false]).data(for: unbound.request(), mayShowSignIn: true)
        #expect(unbound.scheme == "Bearer")
        await unbound.stop()
    }
}
