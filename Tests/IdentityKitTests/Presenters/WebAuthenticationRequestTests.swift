import Foundation
import IdentityKit
import Testing

@Suite struct WebAuthenticationRequestTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(
        "Without another rule a response is known by the page's state",
        arguments: [
            ("state=a+b", true), ("error=access_denied&state=a%20b", true), ("state=a", false), ("", false),
            ("code=a%20b", false), ("state=a%20b&state=c", false), ("State=a%20b", false),
        ])
    func state(query: String, isResponse: Bool) throws {
        let request = WebAuthenticationRequest(
            url: try url("https://id.example/authorize?client_id=a&state=a%20b"), redirectURI: try url("app:/callback"))
        #expect(try request.isResponse(url("app:/callback?" + query)) == isResponse)
    }

    @Test("A page without a state takes any response, unless its caller knows better")
    func withoutState() throws {
        let page = try url("https://id.example/authorize?request_uri=urn:x")
        let callback = try url("app:/callback?code=c")
        let target = try url("app:/callback")
        #expect(WebAuthenticationRequest(url: page, redirectURI: target).isResponse(callback))
        #expect(!WebAuthenticationRequest(url: page, redirectURI: target) { _ in false }.isResponse(callback))
    }

    @Test("An authenticator that only opens pages serves all the same")
    func defaults() async throws {
        struct Sheet: WebAuthenticator {
            func authenticate(_ request: WebAuthenticationRequest) async throws -> URL { request.redirectURI }
        }
        let registered = try url("http://127.0.0.1/callback")
        #expect(try await Sheet().redirectURI(for: registered) == registered)
        let request = WebAuthenticationRequest(url: try url("https://id.example/"), redirectURI: registered)
        #expect(try await Sheet().authenticate(request) == registered)
    }
}
