import Testing
import ThunderIDSwiftUI

/// What an app that imports the views alone can name.
@Suite struct ImportTests {
    @Test("The views bring the configuration and the errors with them")
    func names() {
        let config = ThunderIDConfig(baseUrl: "https://id.example.com", clientId: "app")
        #expect(config.clientId == "app")
        #expect(IAMError(.invalidInput, "No.").code == .invalidInput)
    }

    @Test("They bring requests and what a response is, on Linux too")
    func requests() throws {
        var request = URLRequest(url: try #require(URL(string: "https://id.example.com")))
        request.setValue("Bearer token", forHTTPHeaderField: "Authorization")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer token")
        let send: (URLRequest) async throws -> (Data, URLResponse) = { try await URLSession.shared.data(for: $0) }
        _ = (send, HTTPURLResponse.self, URLError(.badServerResponse))
    }
}
