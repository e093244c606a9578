import Foundation
import IdentityCore
import Testing

@Suite struct ProviderTokenTests {
    private struct Provider: IdentityProvider {
        let account: @Sendable (Set<String>, String) throws -> AccountID?
        var token: @Sendable (AccountID, Set<String>) throws -> String = { "\($0) \($1.sorted())" }

        func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
            try account(scopes, deviceToken)
        }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { nil }

        func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
            try token(accountID, scopes)
        }
    }

    private static let ada = AccountID(account: "ada", realm: "work")

    @Test("A token is that of the account, with the scopes; an account and its token are asked for alike")
    func token() async throws {
        let provider = Provider { scopes, device in scopes == ["mail"] && device == "d" ? Self.ada : nil }
        #expect(try await provider.token(scopes: ["mail"], deviceToken: "d") == "work/ada [\"mail\"]")
        let chain = try IdentityProviderChain([.init("work", provider)])
        #expect(try await chain.token(scopes: ["mail"], deviceToken: "d") == "work/ada [\"mail\"]")
    }

    @Test("Where nobody is signed in the token is nil, and without a name of the device none is made up")
    func nobody() async throws {
        let provider = Provider { scopes, device in scopes.isEmpty && device.isEmpty ? nil : Self.ada }
        #expect(try await provider.token() == nil)
        #expect(try await IdentityProviderChain([.init("work", provider)]).token() == nil)
    }

    @Test("An account that is signed out between the two questions has no token")
    func signedOutMeanwhile() async throws {
        let provider = Provider(
            account: { _, _ in Self.ada }, token: { account, _ in throw SessionError.notSignedIn(account) })
        #expect(try await provider.token() == nil)
    }

    @Test("A look-up that fails and a session that has ended are errors, and not nobody")
    func failures() async throws {
        let unknown = Provider { _, _ in throw ChainUsageError.ambiguous("work") }
        await #expect(throws: ChainUsageError.ambiguous("work")) { try await unknown.token() }
        let end = SessionError.ended(Self.ada, reason: "over")
        let ended = Provider(account: { _, _ in Self.ada }, token: { _, _ in throw end })
        await #expect(throws: end) { try await ended.token() }
    }
}
