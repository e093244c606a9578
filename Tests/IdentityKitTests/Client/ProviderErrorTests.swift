import Foundation
import IdentityKit
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What an app's own provider throws without a class is a failure with one, whatever a client was asked for.
@Suite struct ProviderFailureTests {
    private struct Unclassified: LocalizedError {
        let errorDescription: String? = "The machine is on fire: token=planted-secret"
    }

    /// A provider that knows an account, and otherwise fails.
    private struct FailingProvider: SessionProvider {
        let error: any Error
        var isFound = true
        let realms: Set = ["work"]

        func silentAccount(in context: CallerContext) async throws -> AccountLookup {
            guard isFound else { throw error }
            return .found(AccountID(account: "ada", realm: "work"))
        }

        func signIn(in context: CallerContext) async throws -> AccountID? { throw error }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { throw error }

        func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String { throw error }

        func signOut(_ accountID: AccountID) async throws { throw error }
    }

    private static let account = AccountID(account: "ada", realm: "work")
    private static let calls: [(name: String, call: @Sendable (IdentityClient) async throws -> Void)] = {
        guard let url = URL(string: "https://api.example.com/") else { return [] }
        let request = URLRequest(url: url)
        return [
            ("signOut", { try await $0.signOut() }),
            ("accessToken", { _ = try await $0.accessToken() }),
            ("freshness", { _ = try await $0.accessToken(freshness: .lasting(.seconds(60))) }),
            ("replacing", { _ = try await $0.accessToken(freshness: .other(than: "t")) }),
            ("requestAuthorization", { _ = try await $0.requestAuthorization(scopes: []) }),
            ("data", { _ = try await $0.data(for: request) }),
            ("authorize", { _ = try await $0.authorize(request) }),
            ("named accessToken", { _ = try await $0.accessToken(as: account) }),
            ("named replacing", { _ = try await $0.accessToken(as: account, freshness: .other(than: "t")) }),
            ("named data", { _ = try await $0.data(for: request, as: account) }),
            ("named authorize", { _ = try await $0.authorize(request, as: account) }),
        ]
    }()

    private func client(_ error: any Error, isFound: Bool = true) -> IdentityClient {
        IdentityClient(
            provider: FailingProvider(error: error, isFound: isFound),
            environment: IdentityEnvironment(store: MemoryTokenStore()))
    }

    private func expectFailure(_ name: String, _ work: () async throws -> Void) async {
        let error = await #expect(throws: ProviderError.self, "\(name)") { try await work() }
        #expect(error?.underlying is Unclassified && error?.failureCode == "provider_failed", "\(name)")
        #expect(error?.failureClass == .transient && error?.message.contains("planted") == false, "\(name)")
    }

    @Test("Every call gives it a code and a class, and shows no secret of its text")
    func everywhere() async {
        #expect(Self.calls.count == 11)
        for (name, call) in Self.calls { await expectFailure(name) { try await call(client(Unclassified())) } }
        await expectFailure("account") { _ = try await client(Unclassified(), isFound: false).account() }
        await expectFailure("signIn") { _ = try await client(Unclassified(), isFound: false).signIn() }
    }

    private struct Described: Error, CustomStringConvertible {
        let description = "The key is gone."
    }

    @Test("An error that describes itself is shown in its own words, and one of the system in those for people")
    func words() async {
        let error = await #expect(throws: ProviderError.self) { try await client(Described()).accessToken() }
        #expect(error?.message == "The key is gone.")
        let failure = URLError(.timedOut)
        #expect(ProviderError(underlying: failure).message == failure.localizedDescription)
        let missing = NSError(domain: NSPOSIXErrorDomain, code: 2)
        #expect(ProviderError(underlying: missing).message == missing.localizedDescription)
    }

    @Test("A failure with a class and a cancellation stay what they are")
    func unchanged() async {
        for (name, call) in Self.calls {
            await #expect(throws: TestError(), "\(name)") { try await call(client(TestError())) }
            await #expect(throws: CancellationError.self, "\(name)") { try await call(client(CancellationError())) }
        }
    }

    @Test("Through a chain it is the error of the chain, of the same class")
    func chain() async throws {
        let chain = try IdentityProviderChain([.init("work", FailingProvider(error: Unclassified(), isFound: false))])
        let client = IdentityClient(provider: chain, environment: IdentityEnvironment(store: MemoryTokenStore()))
        let error = await #expect(throws: ChainError.self) { try await client.account() }
        #expect(error?.failureCode == "provider_failed" && error?.failureClass == .transient)
    }
}
