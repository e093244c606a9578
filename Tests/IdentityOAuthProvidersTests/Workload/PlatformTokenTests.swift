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

/// The tokens that platforms issue to the programs that they run.
@Suite struct PlatformTokenTests {
    private static let exchange: [String: JSONValue] = ["clientID": "app", "grant": "token-exchange"]

    private func account(of provider: WorkloadProvider) async throws -> AccountID {
        try #require(try await provider.activeAccount(scopes: [], deviceToken: "d"))
    }

    @Test("A file is read again for every exchange, and a line break at its end does not matter")
    func fileExchanged() async throws {
        let (fixture, folder) = (try await WorkloadFixture(), try TemporaryFolder())
        let file = folder.file("token")
        try Data((fixture.platform.token(audience: fixture.server.issuer) + "\n").utf8).write(to: file)
        let provider = try fixture.provider(Self.exchange.merging(["token": ["file": .string(file.path)]]) { $1 })
        #expect(try await fixture.subject(of: provider) == fixture.platform.subject)
        // The file's token has expired, and so has the one it was exchanged for.
        fixture.clock.advance(by: .seconds(3600))
        let account = try await account(of: provider)
        await #expect(throws: OAuthError.self) { try await provider.accessToken(for: account, scopes: []) }
        try Data(fixture.platform.token(audience: fixture.server.issuer).utf8).write(to: file)
        #expect(try await fixture.subject(of: provider) == fixture.platform.subject)
        await fixture.stop()
    }

    @Test("Without a server the platform's token is the access token: the one that is there now")
    func fileAsItIs() async throws {
        let (fixture, folder) = (try await WorkloadFixture(), try TemporaryFolder())
        let file = folder.file("token")
        try Data("first".utf8).write(to: file)
        let provider = try fixture.provider([
            "issuer": nil, "allowsLoopbackHTTP": nil, "scopes": nil, "token": ["file": .string(file.path)],
        ])
        let account = try await account(of: provider)
        #expect(account == AccountID(account: "machine", realm: "machine"))
        #expect(try await provider.accessToken(for: account, scopes: ["any"]) == "first")
        // Its lifetime is that of a link to another file, as Kubernetes replaces it.
        try Data("second\n".utf8).write(to: file, options: .atomic)
        #expect(try await provider.accessToken(for: account, scopes: ["any"]) == "second")
        let next = try await provider.accessToken(
            for: account, scopes: [], resource: nil, freshness: .other(than: "first"))
        #expect(next == "second")
        await #expect(throws: SessionError.cannotRefresh(account)) {
            try await provider.accessToken(for: account, scopes: [], resource: nil, freshness: .other(than: "second"))
        }
        await fixture.stop()
    }

    @Test("GitHub's token is kept for as long as it is good")
    func gitHubAsItIs() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(
            [
                "issuer": nil, "allowsLoopbackHTTP": nil, "scopes": nil,
                "token": ["gitHubActions": ["audience": "https://api.example.com"]],
            ], variables: fixture.platform.variables)
        let account = try await account(of: provider)
        let token = try await provider.accessToken(for: account, scopes: [])
        #expect(try JSONWebToken(Secret(token)).audience == ["https://api.example.com"])
        #expect(try await provider.accessToken(for: account, scopes: []) == token)
        fixture.clock.advance(by: .seconds(300))
        #expect(try await provider.accessToken(for: account, scopes: []) != token)
        #expect(fixture.platform.http.log.count == 2)
        await fixture.stop()
    }

    @Test("Where the platform is not there, a chain goes on with the next provider, and nothing is requested")
    func chain() async throws {
        let (fixture, folder) = (try await WorkloadFixture(), try TemporaryFolder())
        let file = folder.file("token")
        func settings(_ token: JSONValue) -> JSONValue {
            [
                "issuer": .string(fixture.server.issuer), "allowsLoopbackHTTP": true, "clientID": "app",
                "grant": "token-exchange", "token": token,
            ]
        }
        let configuration = IdentityConfiguration(
            providers: [
                ProviderConfiguration(name: "github", type: "workload", settings: settings(["gitHubActions": [:]])),
                ProviderConfiguration(name: "gitlab", type: "workload", settings: settings(["variable": "ID_TOKEN"])),
                ProviderConfiguration(
                    name: "kubernetes", type: "workload", settings: settings(["file": .string(file.path)])),
                ProviderConfiguration(name: "guest", type: "anonymous", settings: ["token": "public"]),
            ])
        let chain = try ProviderRegistry([WorkloadPlugin.self, AnonymousPlugin.self]).makeChain(
            for: configuration,
            environment: IdentityEnvironment(
                store: MemoryTokenStore(), time: fixture.clock.timeSource, variables: [:]))
        let lookup = try await chain.silentAccount(scopes: [], deviceToken: "d")
        #expect(lookup.account?.realm == "guest")
        #expect(fixture.server.http.log.isEmpty)
        try Data(fixture.platform.token(audience: fixture.server.issuer).utf8).write(to: file)
        let fresh = try ProviderRegistry([WorkloadPlugin.self, AnonymousPlugin.self]).makeChain(
            for: configuration,
            environment: IdentityEnvironment(
                store: MemoryTokenStore(), time: fixture.clock.timeSource, variables: [:]))
        #expect(try await fresh.silentAccount(scopes: [], deviceToken: "d").account?.realm == "kubernetes")
        await fixture.stop()
    }

    @Test("What is no token is refused, and nothing of it is sent", arguments: ["", "two words", "a\r\nHeader: b"])
    func malformed(text: String) async throws {
        let (fixture, folder) = (try await WorkloadFixture(), try TemporaryFolder())
        let file = folder.file("token")
        try Data(text.utf8).write(to: file)
        let provider = try fixture.provider(Self.exchange.merging(["token": ["file": .string(file.path)]]) { $1 })
        let account = try await account(of: provider)
        await #expect(throws: PlatformTokenError.self) { try await provider.accessToken(for: account, scopes: []) }
        #expect(fixture.tokenRequests == 0)
        await fixture.stop()
    }

    @Test("A file without an end is not read to its end")
    func endless() async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(Self.exchange.merging(["token": ["file": "/dev/zero"]]) { $1 })
        let account = try await account(of: provider)
        await #expect(throws: PlatformTokenError.malformed("the file /dev/zero")) {
            try await provider.accessToken(for: account, scopes: [])
        }
        await fixture.stop()
    }

    @Test("A file that is gone is an error that names it, and it is found again")
    func gone() async throws {
        let (fixture, folder) = (try await WorkloadFixture(), try TemporaryFolder())
        let file = folder.file("token")
        try Data(fixture.platform.token(audience: fixture.server.issuer).utf8).write(to: file)
        let provider = try fixture.provider(Self.exchange.merging(["token": ["file": .string(file.path)]]) { $1 })
        let account = try await account(of: provider)
        try FileManager.default.removeItem(at: file)
        let error = await #expect(throws: PlatformTokenError.self) {
            try await provider.accessToken(for: account, scopes: [])
        }
        #expect(error == .missing("the file \(file.path)"))
        guard case .absent(.notConfigured) = try await provider.silentAccount(scopes: [], deviceToken: "d") else {
            Issue.record("It has an account without a token.")
            return
        }
        try Data(fixture.platform.token(audience: fixture.server.issuer).utf8).write(to: file)
        #expect(try await fixture.subject(of: provider) == fixture.platform.subject)
        await fixture.stop()
    }

    @Test(
        "What GitHub's endpoint does wrong is an error without the secrets of the job",
        arguments: [
            (LocalResponse.text("no", status: 403), PlatformTokenError.refused("GitHub Actions", status: 403)),
            (LocalResponse.text("later", status: 503), .refused("GitHub Actions", status: 503)),
            (LocalResponse.text("{}"), .malformed("GitHub Actions")),
            (LocalResponse.text("not JSON"), .malformed("GitHub Actions")),
            (LocalResponse.text(#"{"value": "a b"}"#), .malformed("GitHub Actions")),
        ])
    func gitHubFails(response: LocalResponse, expected: PlatformTokenError) async throws {
        let fixture = try await WorkloadFixture()
        fixture.platform.http.fail(.answer(response))
        let provider = try fixture.provider(
            Self.exchange.merging(["token": ["gitHubActions": [:]]]) { $1 }, variables: fixture.platform.variables)
        let account = try await account(of: provider)
        await #expect(throws: expected) { try await provider.accessToken(for: account, scopes: []) }
        #expect(fixture.tokenRequests == 0)
        await fixture.stop()
    }

    @Test(
        "The token of the job is sent over TLS alone", arguments: ["http://actions.example.com/token", "nonsense", ""])
    func gitHubAddress(address: String) async throws {
        let fixture = try await WorkloadFixture()
        let provider = try fixture.provider(
            Self.exchange.merging(["token": ["gitHubActions": [:]]]) { $1 },
            variables: ["ACTIONS_ID_TOKEN_REQUEST_URL": address, "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "t"])
        let account = try await account(of: provider)
        await #expect(throws: PlatformTokenError.malformed("GitHub Actions")) {
            try await provider.accessToken(for: account, scopes: [])
        }
        await fixture.stop()
    }
}
