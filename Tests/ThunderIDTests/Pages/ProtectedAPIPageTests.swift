import Foundation
import IdentityKit
import IdentityLocalServers
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Code as the page about protected APIs has it, without its views.
@Suite struct ProtectedAPIPageTests {
    /// What the page's functions take: the client, and a way to be shown anew.
    private struct State: Sendable {
        let client: ThunderIDClient
        let refreshed = Locked(0)
        func refresh() async { refreshed.withLock { $0 += 1 } }
    }

    /// The page's function. `URLSession` is replaced by the transport that its Linux version needs.
    private func fetchProtectedResource(state: State, at url: URL) async throws -> Data {
        let token = try await state.client.getAccessToken()

        var request = URLRequest(url: url)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Accept")

        let (data, response) = try await DefaultTransport.make().data(for: request)

        guard (200..<300).contains(response.statusCode) else {
            throw URLError(.badServerResponse)
        }

        return data
    }

    @Test("A protected API is called with the token")
    func fetch() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let url = fixture.server.url.appendingPathComponent("api/resource")
        let data = try await fetchProtectedResource(state: State(client: fixture.client), at: url)
        #expect(!data.isEmpty)
        await fixture.server.stop()
    }

    @Test("A session that cannot be refreshed any more is signed out of, as the page does it")
    func expired() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        fixture.server.revokeFamilies(ofUser: fixture.server.user.id)
        fixture.clock.advance(by: .seconds(3600))
        let state = State(client: fixture.client)
        do {
            let token = try await state.client.getAccessToken()
            Issue.record("a token: \(token.count) characters")
        } catch let error as IAMError where error.code == .sessionExpired {
            _ = try? await state.client.signOut()
            await state.refresh()
        } catch {
            print("Unexpected error: \(error)")
        }
        #expect(state.refreshed.withLock { $0 } == 1)
        #expect(try await fixture.client.isSignedIn() == false)
        await fixture.server.stop()
    }

    @Test("An interceptor adds the token to each request, from a task of its own")
    func interceptor() async throws {
        /// As the page's, with the one requirement of the other package's protocol.
        final class ThunderIDRequestInterceptor: Sendable {
            let state: State

            init(state: State) {
                self.state = state
            }

            func adapt(
                _ urlRequest: URLRequest, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
            ) {
                Task {
                    do {
                        let token = try await state.client.getAccessToken()
                        var request = urlRequest
                        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                        completion(.success(request))
                    } catch {
                        completion(.failure(error))
                    }
                }
            }
        }
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let interceptor = ThunderIDRequestInterceptor(state: State(client: fixture.client))
        let url = fixture.server.url.appendingPathComponent("api/resource")
        let request = try await withCheckedThrowingContinuation { continuation in
            interceptor.adapt(URLRequest(url: url)) { continuation.resume(with: $0) }
        }
        #expect(try await DefaultTransport.make().data(for: request).1.statusCode == 200)
        await fixture.server.stop()
    }

    @Test("A token that expired is refreshed without a word")
    func refresh() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let url = fixture.server.url.appendingPathComponent("api/resource")
        for _ in 0..<3 {
            fixture.clock.advance(by: .seconds(3600))
            _ = try await fetchProtectedResource(state: State(client: fixture.client), at: url)
        }
        #expect(fixture.server.counters.refreshes == 3)
        await fixture.server.stop()
    }
}
