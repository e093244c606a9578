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

    @Test("A listener opens an address without the ID token, and posts it to the endpoint with everything else")
    func postedSignOut() async throws {
        let listener = try LoopbackListener.start(for: .known("http://127.0.0.1/bye"))
        var request = try EndSessionRequest(
            client: client, endSessionEndpoint: .known("https://id.example/end?tenant=1"), idTokenHint: "e30.e30.x",
            postLogoutRedirectURI: listener.redirectURI)
        request.logoutHint = "ada"
        let page = try WebAuthenticationRequest(request)
        let form = try #require(page.signOut?.form)
        #expect(form.action == request.endSessionEndpoint)
        #expect(
            form.fields.map { [$0.name, $0.value.reveal()] } == [
                ["id_token_hint", "e30.e30.x"], ["logout_hint", "ada"], ["client_id", "app"],
                ["post_logout_redirect_uri", listener.redirectURI.absoluteString], ["state", request.state ?? ""],
            ])
        let opened = listener.expect(page)
        #expect(opened.host == "127.0.0.1" && opened.query == nil && !opened.absoluteString.contains("e30"))
        request.idTokenHint = nil
        let hinted = try WebAuthenticationRequest(request)
        #expect(try listener.expect(hinted) == request.url)
        await listener.stop()
    }
}
