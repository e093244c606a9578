import Foundation
import IdentityLocalServers
import TestSupport
import Testing

@testable import IdentityCore
@testable import IdentityKit

@Suite(.endsInTime) struct ChainSignInTests {
    /// A provider whose sign-in stays on the screen until the test ends it.
    private final class ScreenProvider: SessionProvider {
        let shown = Locked(0)
        private let gate = Locked<CheckedContinuation<Void, Never>?>(nil)
        private let signedIn = Locked(false)
        let realms: Set<String> = ["screen"]

        func finish() async {
            while true {
                if let waiting = gate.withLock({ $0 }) {
                    gate.withLock { $0 = nil }
                    signedIn.withLock { $0 = true }
                    waiting.resume()
                    return
                }
                await Task.yield()
            }
        }

        func silentAccount(in context: CallerContext) async throws -> AccountLookup {
            signedIn.withLock { $0 } ? .found(.ada("screen")) : .absent(.neverSignedIn)
        }

        func signIn(in context: CallerContext) async throws -> AccountID? {
            shown.withLock { $0 += 1 }
            await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
            return .ada("screen")
        }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { nil }

        func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String { "token" }

        func signOut(_ accountID: AccountID) async throws {}
    }

    @Test("Sixty-four callers see one sign-in")
    func oneScreen() async throws {
        let provider = ScreenProvider()
        let chain = try IdentityProviderChain([.init("screen", provider)])
        let callers = (0..<64).map { _ in
            Task { try await chain.activeAccount(scopes: [], deviceToken: "d") }
        }
        await provider.finish()
        for caller in callers { #expect(try await caller.value == .ada("screen")) }
        #expect(provider.shown.withLock { $0 } == 1)
    }

    @Test("A sign-in on the screen outlives everybody who waited, and the next caller finds it there")
    func staysUp() async throws {
        let provider = ScreenProvider()
        let store = MemoryTokenStore()
        let chain = try IdentityProviderChain([.init("screen", provider)], store: store)
        let caller = Task { try await chain.activeAccount(scopes: [], deviceToken: "d") }
        while provider.shown.withLock({ $0 }) == 0 { await Task.yield() }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        let next = Task { try await chain.activeAccount(scopes: [], deviceToken: "d") }
        await provider.finish()
        #expect(try await next.value == .ada("screen"))
        #expect(provider.shown.withLock { $0 } == 1)
        #expect(try await store.record(for: .currentAccount(ofProfile: "default"))?.content != nil)
    }

    @Test("Two different sign-ins are shown one after the other")
    func oneAtATime() async throws {
        let provider = ScreenProvider()
        let chain = try IdentityProviderChain([.init("screen", provider)])
        let first = Task { try await chain.signIn(scopes: ["a"], deviceToken: "d") }
        while provider.shown.withLock({ $0 }) == 0 { await Task.yield() }
        let second = Task { try await chain.signIn(with: "screen", scopes: ["b"], deviceToken: "d") }
        // The second has seen the first one's screen, and waits until that is free.
        while chain.screen.waiterCount(for: .only) < 2 { await Task.yield() }
        #expect(provider.shown.withLock { $0 } == 1)
        await provider.finish()
        #expect(try await first.value == .ada("screen"))
        await provider.finish()
        #expect(try await second.value == .ada("screen"))
        #expect(provider.shown.withLock { $0 } == 2)
    }

    @Test("A sign-in is for a person: a provider that needs none is asked where it is named, or where no other can")
    func person() async throws {
        let machine = StaticTokenProvider(token: "t", account: .ada("machine"))
        let person = ScriptedProvider("person", interactive: .account("ada"))
        let links: [IdentityProviderChain.Link] = [.init("machine", machine), .init("person", person)]
        let chain = try IdentityProviderChain(links, store: MemoryTokenStore())
        #expect(try await chain.signIn(scopes: [], deviceToken: "d") == .ada("person"))
        #expect(try await chain.signIn(with: "machine", scopes: [], deviceToken: "d") == .ada("machine"))
        let client = IdentityClient(
            provider: chain, environment: IdentityEnvironment(store: MemoryTokenStore(), variables: [:]))
        #expect(client.isNoPerson(.ada("machine")) && !client.isNoPerson(.ada("person")))
        #expect(try await client.signIn(options: .init()) == .ada("person"))
        person.setInteractive(.absent(.cannotShowSignIn))
        #expect(try await chain.signIn(scopes: [], deviceToken: "d") == .ada("machine"))
        // The user's no is an answer, which no machine takes the place of.
        person.setInteractive(.failure(CancellationError()))
        await #expect(throws: CancellationError.self) { try await chain.signIn(scopes: [], deviceToken: "d") }
    }

    @Test("Options of one sign-in are refused at once where a provider has no place for them")
    func options() async throws {
        let person = ScriptedProvider("person", interactive: .account("ada"))
        let client = IdentityClient(
            provider: try IdentityProviderChain([.init("person", person)]),
            environment: IdentityEnvironment(store: MemoryTokenStore(), variables: [:]))
        await #expect {
            try await client.signIn(options: .init(prompt: "login"))
        } throws: {
            ($0 as? ChainError)?.underlying is SignInOptionsError
        }
        #expect(try await client.account() == nil)
        #expect(try await client.signIn(options: .init()) == .ada("person"))
    }

    @Test("C9: A failed sign-in is not remembered")
    func failure() async throws {
        let provider = ScriptedProvider("only", interactive: .failure(TestError()))
        let chain = try IdentityProviderChain([.init("only", provider)])
        await #expect(throws: ChainError.self) { try await chain.activeAccount(scopes: [], deviceToken: "d") }
        provider.setInteractive(.account("ada"))
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == .ada("only"))
    }
}
