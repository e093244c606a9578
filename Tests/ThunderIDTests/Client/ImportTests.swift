import Testing
import ThunderID

/// An app imports one module for the client and for its requests, also where these have a module of their own (Linux).
@Suite struct ImportTests {
    @Test("The library brings the requests that calls of an API are made of")
    func requests() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let token = try await fixture.client.getAccessToken()
        var request = URLRequest(url: fixture.server.url.appendingPathComponent("api/resource"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (_, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        await fixture.server.stop()
    }
}
