import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import Testing

@testable import InsForge

/// One user at two addresses, such as a project and its copy.
@Suite struct TwoAddressesTests {
    @Test("Both sessions are kept, refreshed, described and ended on their own")
    func both() async throws {
        let user = LocalInsForgeServer.User()
        let store = MemoryTokenStore()
        try await InsForgeFixture.run(store: store, { $0.user = user }) { first in
            try await InsForgeFixture.run(store: store, { $0.user = user }) { second in
                let clients = try await [first.signedInClient(), second.signedInClient()]
                for fixture in [first, second] { fixture.expire() }
                for (client, fixture) in zip(clients, [first, second]) {
                    _ = try await client.auth.accessToken()
                    #expect(fixture.server.counters.refreshes == 1)
                    try await client.auth.setProfile(["name": "At \(fixture.server.url.port ?? 0)"])
                }
                for fixture in [first, second] {
                    let restarted = fixture.client()
                    #expect(restarted.auth.getSession()?.user.name == "At \(fixture.server.url.port ?? 0)")
                    #expect(try await restarted.auth.getCurrentUser()?.id == user.id)
                }
                try await clients[0].auth.signOut()
                #expect(clients[0].auth.getSession() == nil)
                #expect(try await clients[1].auth.getCurrentUser()?.id == user.id)
                // Signing in again takes no second place.
                try await clients[1].auth.signIn(email: user.email, password: user.password)
                try await clients[1].auth.signOut()
                #expect(try await clients[1].auth.getCurrentUser() == nil)
            }
        }
    }

    @Test("A sign-in that cannot read the other address's session leaves it alone")
    func unreadable() async throws {
        let user = LocalInsForgeServer.User()
        let store = FaultyTokenStore()
        try await InsForgeFixture.run(store: store.wrapped, { $0.user = user }) { first in
            try await InsForgeFixture.run(store: store, { $0.user = user }) { second in
                let client = try await first.signedInClient()
                let provider = try second.provider(name: "insforge")
                // The first read is that of the account with the server's address.
                store.fail(.read, in: .accounts, with: TokenStoreError.busy(path: "x"), times: 1, after: 1)
                await #expect(throws: TokenStoreError.busy(path: "x")) {
                    try await provider.signIn(email: user.email, password: user.password)
                }
                #expect(try await client.auth.getCurrentUser()?.id == user.id)
                try await provider.signIn(email: user.email, password: user.password)
                #expect(try await client.auth.getCurrentUser()?.id == user.id)
            }
        }
    }
}
