import Foundation
import IdentityKit
import IdentityOAuth
import Testing

@Suite("RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0)")
struct EndSessionRequestTests {
    @Test("section 2: the parameters")
    func parameters() throws {
        var request = try makeRequest(returning: "myapp://bye")
        request.uiLocales = ["de", "en"]
        request.logoutHint = "ada"
        let fields = try #require(FormEncoding.decode(request.url.query ?? ""))
        #expect(fields.only("id_token_hint") == "e30.e30.x")
        #expect(fields.only("logout_hint") == "ada")
        #expect(fields.only("client_id") == "app")
        #expect(fields.only("post_logout_redirect_uri") == "myapp://bye")
        #expect(fields.only("state") == request.state)
        #expect(fields.only("ui_locales") == "de en")
        #expect(fields.only("tenant") == "1")
    }

    @Test("section 2: the posted form has the parameters of the address")
    func form() throws {
        var request = try makeRequest(returning: "myapp://bye")
        request.extraParameters = [FormField("federated", "1")]
        let form = try #require(try WebAuthenticationRequest(request).signOut?.form)
        #expect(form.fields.contains { $0.name == "federated" && $0.value.reveal() == "1" })
        #expect(form.fields.contains { $0.name == "client_id" && $0.value.reveal() == "app" })
    }

    @Test("section 2: without a return there is no state")
    func withoutReturn() throws {
        let request = try makeRequest(returning: nil)
        #expect(try !request.url.absoluteString.contains("state"))
        expectFailure("callback_unknown_flow") { try request.checkReturn(.known("myapp://bye")) }
    }

    @Test("section 3: the return is to the address that was asked for, with the state")
    func returning() throws {
        let request = try makeRequest(returning: "myapp://bye")
        let state = try #require(request.state)
        try request.checkReturn(.known("myapp://bye?state=\(state)"))
        expectFailure("callback_redirect_mismatch") { try request.checkReturn(.known("myapp://hi?state=\(state)")) }
        expectFailure("callback_state_missing") { try request.checkReturn(.known("myapp://bye")) }
        expectFailure("callback_state_mismatch") { try request.checkReturn(.known("myapp://bye?state=x")) }
    }

    @Test("the endpoint is https")
    func insecure() {
        #expect(throws: OAuthError.invalidSetting(.insecureEndpoint(host: "id.example"))) {
            try EndSessionRequest(
                client: OAuthClient(id: "app"), endSessionEndpoint: .known("http://id.example/logout"))
        }
    }

    private func makeRequest(returning address: String?) throws -> EndSessionRequest {
        try EndSessionRequest(
            client: OAuthClient(id: "app"), endSessionEndpoint: .known("https://id.example/logout?tenant=1"),
            idTokenHint: "e30.e30.x", postLogoutRedirectURI: address.map { try .known($0) })
    }
}
