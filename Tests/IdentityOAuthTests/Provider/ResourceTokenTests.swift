import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Tokens for several resources of one server")
struct ResourceTokenTests {
    private static let (api, other) = ("https://api.example.com", "https://other.example.com/v2")

    /// A resource server that takes tokens for itself alone, and counts.
    private actor Resource {
        let name: String
        private(set) var (accepted, refused) = (0, 0)

        init(_ name: String) { self.name = name }

        func take(_ token: String) throws {
            if try JSONWebToken(Secret(token)).audience == [name] { accepted += 1 } else { refused += 1 }
        }
    }

    private struct Fixture {
        let plain: PlainServer
        let wire = FormRecorder()
        let provider: OAuthSessionProvider

        init(
            _ indicators: LocalOpenIDConnectServer.ResourceIndicators, by style: TokensByResource = .rfc8707,
            scopes: [String] = ["read"], isConfidential: Bool = false
        ) async throws {
            plain = try await PlainServer { $0.resourceIndicators = indicators }
            let secret: Secret = "a secret: +/%&é"
            provider = try plain.provider(transport: wire) {
                $0.tokensByResource = style
                $0.scopes = scopes
                if isConfidential {
                    $0.client = OAuthClient(
                        id: LocalOpenIDConnectServer.Client.service.id, authentication: .clientSecretBasic(secret),
                        transportSecurity: .loopbackHTTPAllowed)
                }
            }
            _ = try await provider.signIn(scopes: [], deviceToken: "device")
        }

        func token(_ resource: String?, replacing: String? = nil) async throws -> String {
            try await provider.accessToken(
                for: plain.account, scopes: [], resource: resource, freshness: TokenFreshness(replacing: replacing))
        }

        func code(_ resource: String) async -> String? {
            do {
                _ = try await token(resource)
                return nil
            } catch { return (error as? any IdentityFailure)?.failureCode }
        }
    }

    @Test("Each resource gets tokens for itself alone, with one request each, and no refresh token is sent twice")
    func twoResources() async throws {
        let fixture = try await Fixture(.named)
        for resource in [Resource(Self.api), Resource(Self.other)] {
            for _ in 1...3 { try await resource.take(fixture.token(resource.name)) }
            #expect(await resource.accepted == 3)
            #expect(await resource.refused == 0)
        }
        let sent = await fixture.wire.refreshes
        #expect(sent.map { $0["resource"] } == [Self.api, Self.other])
        // A request that narrows might narrow the next refresh token too.
        #expect(sent.allSatisfy { $0["scope"] == nil })
        #expect(Set(sent.map { $0["refresh_token"] }).count == 2)
        #expect(fixture.plain.local.counters.replays == 0)
        await fixture.plain.local.stop()
    }

    @Test(
        "A server that answers an unknown resource with its default: nothing is sent there, and it is asked once an hour"
    )
    func defaulting() async throws {
        let fixture = try await Fixture(.defaulting([Self.api]))
        let (known, unknown) = (Resource(Self.api), Resource(Self.other))
        for _ in 1...3 { #expect(await fixture.code(Self.other) == "resource_not_granted") }
        #expect(await unknown.accepted + unknown.refused == 0)
        // The token is filed under what it is for.
        try await known.take(fixture.token(Self.api))
        #expect(await known.accepted == 1)
        #expect(await fixture.wire.refreshes.count == 1)
        fixture.plain.clock.advance(by: .seconds(3600))
        #expect(await fixture.code(Self.other) == "resource_not_granted")
        #expect(await fixture.wire.refreshes.count == 2)
        await fixture.plain.local.stop()
    }

    @Test("A server that gives one resource to a sign-in: the first one goes on, the second is refused alone")
    func onePerGrant() async throws {
        let fixture = try await Fixture(.onePerGrant)
        let first = try await fixture.token(Self.api)
        #expect(await fixture.code(Self.other) == "resource_not_granted")
        #expect(try await fixture.token(Self.api) == first)
        #expect(try await fixture.token(Self.api, replacing: first) != first)
        await fixture.plain.local.stop()
    }

    @Test("A server that refuses resources: the message names the setting, and the session goes on")
    func refused() async throws {
        let fixture = try await Fixture(.refused)
        let error = await #expect(throws: SessionError.self) { try await fixture.token(Self.api) }
        let namesSetting = error?.message.contains("tokensByResource") ?? false
        #expect(namesSetting && error?.failureCode == "resource_not_granted")
        let own = try await fixture.token(nil)
        #expect(try await fixture.token(nil, replacing: own) != own)
        #expect(fixture.plain.local.counters.replays == 0)
        await fixture.plain.local.stop()
    }

    @Test("A token that does not say what it is for counts only at a server that is known to keep to the resource")
    func opaque() async throws {
        let strict = try await Fixture(.ignored)
        #expect(await strict.code(Self.api) == "resource_not_granted")
        await strict.plain.local.stop()
        let trusted = try await Fixture(.ignored, by: .opaque)
        let token = try await trusted.token(Self.api)
        #expect(try await trusted.token(Self.api) == token)
        #expect(await trusted.wire.refreshes.count == 1)
        await trusted.plain.local.stop()
    }

    @Test(
        "A client that authenticates asks the server what an opaque token is for, until it says so, and sends it nowhere else",
        arguments: [500, 400])
    func introspected(status: Int) async throws {
        let fixture = try await Fixture(.introspected, isConfidential: true)
        let failure = LocalResponse.json(["error": "server_error"], status: status)
        fixture.plain.local.http.fail(.answer(failure), pathPrefix: "/introspect", times: 1)
        let first = await fixture.code(Self.api)
        #expect(first != nil && first != "resource_not_granted")
        let token = try await fixture.token(Self.api)
        #expect(try await fixture.token(Self.api) == token)
        #expect(await fixture.wire.introspected == [token, token])
        #expect(await fixture.wire.refreshes.count == 1)
        // The refresh token is the one that the server gave with it.
        _ = try await fixture.token(Self.other)
        #expect(await fixture.wire.refreshes.count == 2)
        #expect(fixture.plain.local.counters.replays == 0)
        await fixture.plain.local.stop()
    }

    @Test("An opaque token for another resource is sent nowhere, and a client without credentials asks nothing")
    func introspectedInVain() async throws {
        let mistaken = try await Fixture(.ignored, isConfidential: true)
        #expect(await mistaken.code(Self.api) == "resource_not_granted")
        #expect(await mistaken.wire.introspected.count == 1)
        #expect(await mistaken.code(Self.api) == "resource_not_granted")
        #expect(await mistaken.wire.introspected.count == 1)
        #expect(await mistaken.wire.refreshes.count == 1)
        await mistaken.plain.local.stop()
        let open = try await Fixture(.introspected)
        #expect(await open.code(Self.api) == "resource_not_granted")
        #expect(await open.wire.introspected.isEmpty)
        await open.plain.local.stop()
    }

    @Test(
        "Each style has its own words",
        arguments: [
            (.auth0, ["audience": api], nil), (.rfc8707, ["resource": api], nil),
        ] as [(TokensByResource, [String: String], String?)])
    func words(style: TokensByResource, parameters: [String: String], scope: String?) async throws {
        let fixture = try await Fixture(.named, by: style)
        _ = try await fixture.token(Self.api)
        let sent = try #require(await fixture.wire.refreshes.first)
        let said = sent.filter { ["audience", "resource"].contains($0.key) }
        #expect(said == parameters && sent["scope"] == scope)
        await fixture.plain.local.stop()
    }

    @Test("At Entra the scopes of one resource are asked for, qualified, and a refusal does not end the session")
    func entra() async throws {
        let fixture = try await Fixture(.named, by: .entra)
        // The local server knows no such scope, as Entra does not before the person has consented.
        #expect(await fixture.code(Self.api) == "resource_not_granted")
        let sent = try #require(await fixture.wire.refreshes.first)
        #expect(sent["scope"] == "\(Self.api)/.default" && sent["resource"] == nil && sent["audience"] == nil)
        let own = try await fixture.token(nil)
        #expect(try await fixture.token(nil, replacing: own) != own)
        await fixture.plain.local.stop()
    }

    @Test("A sign-out revokes the refresh token first, then every access token")
    func signOut() async throws {
        let fixture = try await Fixture(.named)
        let own = try await fixture.token(nil)
        let tokens = [try await fixture.token(Self.api), try await fixture.token(Self.other)]
        try await fixture.provider.signOut(fixture.plain.account)
        let revoked = await fixture.wire.revoked
        #expect(Set(revoked).isSuperset(of: tokens + [own]) && revoked.count == 4)
        #expect(Array(revoked.suffix(2)) == tokens)
        await fixture.plain.local.stop()
    }
}
