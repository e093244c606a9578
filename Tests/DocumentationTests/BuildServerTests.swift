import Foundation
import IdentityKit
import IdentityTesting
import Testing

/// The README's own provider: three methods, and the line that says that it never shows anything to a person.
@Suite struct BuildServerTests {
    private static func provider(token: String?, name: String = "build") throws -> any IdentityProvider {
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), variables: token.map { ["BUILD_TOKEN": $0] } ?? [:])
        return try BuildServerPlugin.makeProvider(
            settings: JSONDecoder().decode(
                BuildServerPlugin.Settings.self,
                from: Data(#"{"user": "builder", "tokenVariable": "BUILD_TOKEN"}"#.utf8)),
            context: ProviderContext(name: name, environment: environment))
    }

    @Test(
        "It is asked in its place in the order, before an environment token and another provider's account",
        arguments: [
            (["BUILD_TOKEN": "b", "SWIFT_IDENTITY_TOKEN": "e"], "build/builder"),
            (["SWIFT_IDENTITY_TOKEN": "e"], "ci/ci"), ([:], "person/ada"),
        ])
    func order(variables: [String: String], expected: String) async throws {
        let configuration = try IdentityConfiguration(
            parsing: Data(
                """
                {"providers": [
                  {"name": "build", "type": "build-server",
                   "settings": {"user": "builder", "tokenVariable": "BUILD_TOKEN"}},
                  {"name": "ci", "type": "environment-token", "settings": {}},
                  {"name": "person", "type": "static-token", "settings": {"token": "p", "account": "ada"}}
                ]}
                """.utf8), variables: [:])
        let client = try IdentityClient(
            configuration: configuration,
            registry: ProviderRegistry([BuildServerPlugin.self] + ProviderRegistry.corePlugins),
            environment: IdentityEnvironment(store: MemoryTokenStore(), variables: variables))
        #expect(try await client.account()?.id == expected)
        let attempts = try await client.explain().map(\.description)
        let isBuildServer = variables["BUILD_TOKEN"] != nil
        #expect(attempts.first == (isBuildServer ? "build: signed in as build/builder" : "build: it has no account"))
        #expect(attempts.count == 3)
        if isBuildServer { #expect(try await client.accessToken() == "b") }
    }

    @Test("It keeps every rule of the contract that applies to a given token")
    func contract() async {
        let report = await ProviderConformance.check {
            let changing = Locked(try Self.provider(token: nil))
            var subject = ProviderUnderTest(Handed(changing: changing)) {
                let provider = try Self.provider(token: "build-server-token")
                changing.withLock { $0 = provider }
                return try #require(await provider.activeAccount(scopes: [], deviceToken: "d"))
            }
            subject.signOut = { _ in
                let provider = try Self.provider(token: nil)
                changing.withLock { $0 = provider }
            }
            subject.configure = { name, _ in try Self.provider(token: "build-server-token", name: name) }
            subject.interactions = { 0 }
            subject.secrets = ["build-server-token"]
            subject.lacks = [
                .refresh: "the build server gives one token", .scopes: "nobody knows what its token is good for",
                .server: "it only reads a variable", .storage: "the variable is there at every start",
                .log: "it writes none",
            ]
            return subject
        }
        #expect(report.passes, "\(report)")
        #expect(
            report.kept == [
                .absenceIsNoError, .silenceShowsNothing, .signInIsFound, .accountsAreItsOwn, .realmsAreConfigured,
                .validTokenIsKept, .tokensFitAHeader, .strangersAreRefused, .anyThread, .cancelledCallerLeavesAlone,
                .signOutEnds, .errorsAreClassified, .noSecretShows,
            ], "\(report)")
    }

    /// The provider of a machine that becomes a build server, and ceases to be one.
    private struct Handed: IdentityProvider {
        let changing: Locked<any IdentityProvider>

        private var provider: any IdentityProvider { changing.withLock { $0 } }

        var mayShowSignIn: Bool { provider.mayShowSignIn }

        func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
            try await provider.activeAccount(scopes: scopes, deviceToken: deviceToken)
        }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? {
            try await provider.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
        }

        func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
            try await provider.accessToken(for: accountID, scopes: scopes)
        }
    }
}
