import Foundation
import IdentityKit
import IdentityOAuth
import Testing

/// Which response a page waits for.
@Suite struct OAuthWebAuthenticationRequestTests {
    private let client = OAuthClient(id: "app")

    @Test("A response has the flow's state and arrives at its address; an error is one too")
    func authorization() throws {
        let request = try AuthorizationRequest(
            client: client, authorizationEndpoint: .known("https://id.example/authorize"),
            redirectURI: .known("http://127.0.0.1:4000/callback"), scopes: ["openid"])
        // What was pushed does not show in the page's address (RFC 9126).
        let page = try WebAuthenticationRequest(
            url: .known("https://id.example/authorize?client_id=app&request_uri=urn:x"), for: request.pending)
        #expect(page.redirectURI == request.redirectURI)
        let state = request.state
        #expect(try page.isResponse(.known("http://127.0.0.1:4000/callback?code=c&state=\(state)")))
        #expect(try page.isResponse(.known("http://127.0.0.1:4000/callback?error=access_denied&state=\(state)")))
        #expect(try !page.isResponse(.known("http://127.0.0.1:4000/callback?code=c&state=x")))
        #expect(try !page.isResponse(.known("http://127.0.0.1:4000/callback?code=c")))
        #expect(try !page.isResponse(.known("http://127.0.0.1:4000/callback?state=\(state)&state=\(state)")))
        #expect(try !page.isResponse(.known("http://127.0.0.1:4000/other?code=c&state=\(state)")))
        #expect(try !page.isResponse(.known("http://127.0.0.1:4001/callback?code=c&state=\(state)")))
    }

    @Test("A sign-out returns with its state")
    func endSession() throws {
        let request = try EndSessionRequest(
            client: client, endSessionEndpoint: .known("https://id.example/end"),
            postLogoutRedirectURI: .known("http://127.0.0.1:4000/bye"))
        let page = try WebAuthenticationRequest(request)
        #expect(try page.url == request.url)
        #expect(try page.isResponse(.known("http://127.0.0.1:4000/bye?state=\(request.state ?? "")")))
        #expect(try !page.isResponse(.known("http://127.0.0.1:4000/bye?state=x")))
        let silent = try EndSessionRequest(client: client, endSessionEndpoint: .known("https://id.example/end"))
        #expect(throws: OAuthError.invalidCallback(.unknownFlow)) { try WebAuthenticationRequest(silent) }
    }
}
