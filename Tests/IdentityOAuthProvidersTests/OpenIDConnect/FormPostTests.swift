import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Follows the pages, and posts the last form to the application's address as a browser does.
struct PostingBrowser {
    let login: ScriptedLogin
    /// A change that somebody on the way makes to the form.
    var changed: @Sendable ([FormField]) -> [FormField] = { $0 }

    var authenticator: LoopbackWebAuthenticator {
        LoopbackWebAuthenticator(opensBrowser: false, timeout: Patience.limit) { page, _ in
            Task {
                let landing = try await login.visit(page)
                var request = URLRequest(url: landing.url)
                guard let form = landing.form else {
                    _ = try await DefaultTransport.make().data(for: request)
                    return
                }
                request.httpMethod = "POST"
                request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
                let fields = changed(form.map { FormField($0.name, $0.value) })
                request.httpBody = Data(FormEncoding.encode(fields).utf8)
                _ = try await DefaultTransport.make().data(for: request)
            }
        }
    }
}

/// Responses that the server's page posts to the redirect URI (OAuth 2.0 Form Post Response Mode), as Apple sends them.
@Suite struct FormPostTests {
    /// Apple's way: the endpoints are known, no user info, no names in ID tokens.
    private func provider(
        _ fixture: OpenIDFixture, _ mode: ResponseMode? = .formPost,
        changing changed: @escaping @Sendable ([FormField]) -> [FormField] = { $0 }
    ) -> OAuthSessionProvider {
        fixture.server.vary(.personInForm)
        fixture.server.vary(.claimsInUserInfoOnly)
        let server = fixture.settings {
            $0.redirectURI = URL(string: "http://127.0.0.1/callback")
            $0.responseMode = mode
            $0.endpoints = Dictionary(
                uniqueKeysWithValues: [(.authorization, "authorize"), (.token, "token"), (.jwks, "jwks")]
                    .map { ($0, fixture.server.url.appendingPathComponent($1)) })
        }.server
        let environment = IdentityEnvironment(
            store: fixture.store,
            webAuthenticator: PostingBrowser(login: fixture.login, changed: changed).authenticator,
            time: fixture.clock.dates)
        return OAuthSessionProvider(server, context: ProviderContext(name: "work", environment: environment))
    }

    @Test("The first sign-in brings name and e-mail address, and later ones keep them")
    func person() async throws {
        let fixture = try await OpenIDFixture()
        let provider = provider(fixture)
        for _ in 0..<2 {
            #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
            let profile = try await provider.sessions.storedCredential(of: fixture.account)?.profile
            #expect(profile?.displayName == "Ada Lovelace")
            #expect(profile?.email == "ada@example.org" && profile?.isEmailUnverified == true)
        }
        // After a sign-out nothing is kept, and the server does not say it again.
        try await provider.signOut(fixture.account)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        #expect(try await provider.sessions.storedCredential(of: fixture.account)?.profile?.email == nil)
        await fixture.server.stop()
    }

    @Test("A server that wants to post refuses a request for the query, and the error says so")
    func query() async throws {
        let fixture = try await OpenIDFixture()
        let provider = provider(fixture, nil)
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "invalid_request")
        #expect(error?.message.contains("form_post") == true)
        await fixture.server.stop()
    }

    @Test(
        "What the browser says of the person names no account, and what cannot be read is left out",
        .guards("issuer and subject"),
        arguments: [
            #"{"name":{"firstName":"Eve","lastName":"Moore"},"email":"eve@example.org","sub":"eve"}"#,
            #"{"name":"Eve","email":["eve@example.org"]}"#, #"{"email":"a\nb","email":"c"}"#, "Eve", "",
        ])
    func forgedPerson(user: String) async throws {
        let fixture = try await OpenIDFixture()
        let provider = provider(fixture) { form in
            form.map { $0.name == "user" ? FormField("user", user) : $0 }
        }
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        let profile = try await provider.sessions.storedCredential(of: fixture.account)?.profile
        #expect(profile?.displayName == (user.contains("Moore") ? "Eve Moore" : nil))
        #expect(profile?.email == (user.contains("Moore") ? "eve@example.org" : nil))
        await fixture.server.stop()
    }

    @Test("What the ID token says of the person counts, whatever the form says", .guards("issuer and subject"))
    func signedPerson() async throws {
        let fixture = try await OpenIDFixture()
        var server = fixture.settings { $0.redirectURI = URL(string: "http://127.0.0.1/callback") }.server
        server.responseMode = .formPost
        let browser = PostingBrowser(login: fixture.login) { form in
            form + [FormField("user", #"{"name":{"firstName":"Eve"},"email":"eve@example.org"}"#)]
        }
        let environment = IdentityEnvironment(
            store: fixture.store, webAuthenticator: browser.authenticator, time: fixture.clock.dates)
        let provider = OAuthSessionProvider(server, context: ProviderContext(name: "work", environment: environment))
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        let profile = try await provider.sessions.storedCredential(of: fixture.account)?.profile
        #expect(profile?.displayName == "Ada Lovelace")
        #expect(profile?.email == "ada@example.org")
        await fixture.server.stop()
    }
}
