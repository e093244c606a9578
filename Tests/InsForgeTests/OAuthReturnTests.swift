import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import Testing

/// Which address a sign-in in the browser waits for.
@Suite struct OAuthReturnTests {
    /// Signs in, and keeps what it was asked to wait for.
    private struct Listener: WebAuthenticator {
        let server: LocalInsForgeServer
        let asked: Locked<WebAuthenticationRequest?>
        let came: Locked<URL?>

        func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
            asked.withLock { $0 = request }
            let callback = try await ScriptedLogin().signIn(at: request.url)
            came.withLock { $0 = callback }
            return callback
        }
    }

    @Test("The response is known by a state in the redirect URI; a forged code is none")
    func state() async throws {
        let fixture = try await InsForgeFixture()
        let listener = Listener(server: fixture.server, asked: Locked(nil), came: Locked(nil))
        let provider = try fixture.provider(method: .oauth(.google), browser: listener)
        #expect(try await provider.signIn(with: .google) == fixture.account)
        let request = try #require(listener.asked.withLock { $0 })
        let callback = try #require(listener.came.withLock { $0 })
        #expect(request.isResponse(callback))
        for forged in ["insforge_code=0", "insforge_code=0&state=0", "error=no", ""] {
            let url = try #require(URL(string: "example://callback?" + forged))
            #expect(!request.isResponse(url))
        }
        await fixture.server.stop()
    }

    @Test("An allow list that takes no state is signed in with all the same")
    func allowList() async throws {
        let fixture = try await InsForgeFixture { $0.allowedRedirectURLs = ["example://callback"] }
        let listener = Listener(server: fixture.server, asked: Locked(nil), came: Locked(nil))
        let provider = try fixture.provider(method: .oauth(.google), browser: listener)
        #expect(try await provider.signIn(with: .google) == fixture.account)
        #expect(listener.asked.withLock { $0 }?.redirectURI.absoluteString == "example://callback")
        await fixture.server.stop()
    }
}
