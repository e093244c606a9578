import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

@testable import InsForge

/// What waits for a callback, and what a callback is worth.
@Suite(.endsInTime) struct PendingFlowTests {
    @Test("A flow is in the store before its page opens, and the app may be gone when it returns")
    func stored() async throws {
        for isImmediate in [true, false] {
            let memory = MemoryTokenStore()
            try await InsForgeFixture.run(store: isImmediate ? memory : SlowStore(memory)) { fixture in
                @Sendable func waiting() async -> Int {
                    let records = try? await memory.records(in: .pendingFlows).records
                    return records?.count { $0.content != nil } ?? 0
                }
                let (page, atOpening) = (Locked<URL?>(nil), Locked(0))
                let client = fixture.client {
                    $0.auth.openURL = { url in
                        let count = await waiting()
                        page.withLock { $0 = url }
                        atOpening.withLock { $0 = count }
                        return true
                    }
                }
                try await client.auth.signInWithOAuthView(provider: .google, redirectTo: "example://auth/callback")
                #expect(atOpening.withLock { $0 } == 1)
                _ = client.auth.signInWithDefaultView(redirectTo: "example://hosted")
                // A store that suspends may be written after the call, which waits for it only for a while.
                while await waiting() < 2 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                let callback = try await fixture.visit(try #require(page.withLock { $0 }))
                let restarted = fixture.client()
                #expect(try await restarted.auth.handleAuthCallback(callback).user.id == fixture.server.user.id)
            }
        }
    }

    @Test("A callback is exchanged once, and its copies get the same session until the person signs out")
    func copies() async throws {
        try await InsForgeFixture.run { fixture in
            let pages = OpenedPages()
            let client = fixture.client { $0.auth.openURL = pages.open }
            try await client.auth.signInWithOAuthView(provider: .google, redirectTo: "example://auth/callback")
            let callback = try await fixture.visit(try #require(pages.all.first))
            let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<10 {
                    group.addTask { try await client.auth.handleAuthCallback(callback).accessToken }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1 && fixture.server.counters.exchanges == 1)
            #expect(try await client.auth.handleAuthCallback(callback).user.id == fixture.server.user.id)
            try await client.auth.signOut()
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.handleAuthCallback(callback)
            }
            #expect(error?.message.contains("over already") == true && client.auth.getSession() == nil)
            #expect(fixture.server.counters.exchanges == 1)
        }
    }

    @Test("Of two flows at one address without a state, the callback of the earlier one says that it was replaced")
    func replaced() async throws {
        try await InsForgeFixture.run { fixture in
            let pages = OpenedPages()
            let client = fixture.client {
                $0.auth.openURL = pages.open
                $0.auth.addsStateToRedirect = false
            }
            for _ in 0..<2 {
                try await client.auth.signInWithOAuthView(provider: .google, redirectTo: "example://auth/callback")
                fixture.clock.advance(by: .seconds(1))
            }
            let earlier = try await fixture.visit(pages.all[0])
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.handleAuthCallback(earlier)
            }
            #expect(error?.message.contains("later sign-in") == true && error?.message.contains("PKCE") == false)
            let later = try await fixture.visit(pages.all[1])
            #expect(try await client.auth.handleAuthCallback(later).user.id == fixture.server.user.id)
        }
    }

    @Test("A client that is not set up opens no page, least of all a file")
    func notSetUp() throws {
        for address in ["http://id.example.com", "file:///", "ftp://id.example.com"] {
            let url = try #require(URL(string: address))
            let client = InsForgeClient(
                baseURL: url, anonKey: "anon_0",
                options: InsForgeClientOptions(
                    auth: .init(storage: InMemoryAuthStorage()), global: .init(logDestination: .none)))
            #expect(client.auth.signInWithDefaultView(redirectTo: "example://cb").absoluteString == "about:blank")
        }
    }

    @Test("A deleted account is told as such by every call that needs it, and by a look-up")
    func deleted() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let id = fixture.server.user.id
            fixture.server.deleteUser(id: id)
            await #expect(throws: InsForgeAuthError.userNotFound) { try await client.auth.getProfile(userId: id) }
            await #expect(throws: InsForgeAuthError.userNotFound) { try await client.auth.setProfile(["name": "New"]) }
            #expect(InsForgeAuthError.userNotFound.message == "This account no longer exists.")
            #expect(client.auth.getSession() == nil)
            // Also after a restart, and there is nobody to ask for.
            let restarted = fixture.client()
            await #expect(throws: InsForgeAuthError.userNotFound) { try await restarted.auth.accessToken() }
            #expect(try await restarted.auth.getCurrentUser() == nil)
        }
    }
}
