import Foundation
import IdentityKit
import IdentitySwiftUI
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing
import ThunderID

@testable import ThunderIDSwiftUI

/// Which component shows what in which state, without views.
@MainActor @Suite(.endsInTime) struct ComponentTests {
    @Test("A guard knows nothing before the start, then who is signed in, or that it cannot be looked up")
    func presence() async throws {
        let fixture = try await FlowFixture()
        let state = ThunderIDState(
            client: fixture.client, handlers: SignInHandlers(webAuthenticator: fixture.browser))
        #expect(state.presence == .unknown && !state.isInitialized && state.isBusy)
        await state.start()
        #expect(state.presence == .signedOut && state.isInitialized && !state.isBusy)
        await state.signIn()
        #expect(state.presence == .signedIn)
        var isDone = false
        await state.signOut { isDone = state.presence == .signedOut }
        #expect(isDone)
        let wrong = ThunderIDState(config: ThunderIDConfig(baseUrl: "http://id.example.com"))
        await wrong.start()
        #expect(wrong.presence == .unavailable && wrong.isInitialized && !wrong.isBusy)
        await fixture.server.stop()
    }

    @Test("A state for previews shows a user, or nobody")
    func previews() {
        let user = ThunderIDClient.User(sub: "ada", displayName: "Ada")
        #expect(ThunderIDState(showing: user).presence == .signedIn)
        #expect(ThunderIDState(showing: user).user == user)
        #expect(ThunderIDState(showing: nil).presence == .signedOut)
    }

    @Test("A callback waits for its client, signs in, and is good once")
    func callback() async throws {
        let fixture = try await FlowFixture()
        let state = ThunderIDState(client: fixture.client)
        let run = CallbackRun()
        let early = try #require(URL(string: "com.example.app:/callback?code=1&state=2"))
        #expect(await run.finish(early, below: state) == nil)
        #expect(run.isLoading && run.failure == nil)
        await state.start()
        let redirectURI = try #require(fixture.config.afterSignInUrl.flatMap(URL.init(string:)))
        let page = try await fixture.client.signInURL(options: nil)
        let url = try await fixture.browser.authenticate(WebAuthenticationRequest(url: page, redirectURI: redirectURI))
        let result = await run.finish(url, below: state)
        #expect(throws: Never.self) { try result?.get() }
        #expect(result != nil && !run.isLoading && run.failure == nil)
        #expect(state.presence == .signedIn && state.user?.sub == fixture.server.user.id)
        #expect(await run.finish(url, below: state) == nil, "the view came back")
        await fixture.server.stop()
    }

    @Test("A view that goes away does not stop the sign-in of its callback")
    func abandonedCallback() async throws {
        let fixture = try await FlowFixture()
        let state = ThunderIDState(client: fixture.client)
        await state.start()
        let redirectURI = try #require(fixture.config.afterSignInUrl.flatMap(URL.init(string:)))
        let page = try await fixture.client.signInURL(options: nil)
        let url = try await fixture.browser.authenticate(WebAuthenticationRequest(url: page, redirectURI: redirectURI))
        let (run, gate) = (CallbackRun(), AnswerGate())
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/oauth2/token")
        let view = Task { await run.finish(url, below: state) }
        await gate.waitForAnswer()
        view.cancel()
        gate.open()
        let result = try #require(await view.value)
        #expect(throws: Never.self) { try result.get() }
        #expect(run.failure == nil && state.presence == .signedIn)
        await fixture.server.stop()
    }

    @Test("A callback that nobody asked for is an error, and one for a client that cannot start says why")
    func wrongCallback() async throws {
        let fixture = try await FlowFixture()
        let state = ThunderIDState(client: fixture.client)
        await state.start()
        let run = CallbackRun()
        let foreign = try #require(URL(string: "com.example.app:/callback?code=1&state=2"))
        let result = try #require(await run.finish(foreign, below: state))
        #expect(throws: IAMError.self) { try result.get() }
        #expect(run.failure != nil && !run.isLoading && state.presence == .signedOut)
        let wrong = ThunderIDState(config: ThunderIDConfig(baseUrl: "http://id.example.com"))
        await wrong.start()
        let other = CallbackRun()
        #expect(await other.finish(foreign, below: wrong) == nil)
        #expect(!other.isLoading && other.failure != nil)
        await fixture.server.stop()
    }

    @Test("An error that names no sign-in is shown as unconfirmed, and the person can stop waiting")
    func unconfirmedCallback() async throws {
        let fixture = try await FlowFixture()
        let state = ThunderIDState(client: fixture.client)
        await state.start()
        let redirectURI = try #require(fixture.config.afterSignInUrl.flatMap(URL.init(string:)))
        let page = try await fixture.client.signInURL(options: nil)
        let callback = try await fixture.browser.authenticate(
            WebAuthenticationRequest(url: page, redirectURI: redirectURI))
        let run = CallbackRun()
        let denial = try #require(URL(string: redirectURI.absoluteString + "?error=access_denied"))
        _ = await run.finish(denial, below: state)
        let failure = try #require(run.failure)
        #expect(run.canStop && state.presence == .signedOut)
        for (language, words) in [("en", "reported access_denied, unconfirmed"), ("de", "access_denied, unbestätigt")] {
            #expect(ThunderIDTexts(language: language).text(for: failure).contains(words))
        }
        await run.stop(below: state)
        #expect(!run.canStop && run.failure == nil)
        let late = CallbackRun()
        let result = try #require(await late.finish(callback, below: state))
        #expect(throws: IAMError.self) { try result.get() }
        #expect(!late.canStop && state.presence == .signedOut)
        await fixture.server.stop()
    }

    @Test("Languages are offered once each, and the chosen one is the nearest to that of the views")
    func languages() {
        #expect(LanguageChoice(["en", "de", "de"], active: "de-AT").languages == ["en", "de"])
        #expect(LanguageChoice(["en", "de"], active: "de-AT").selected == "de")
        #expect(LanguageChoice(["en", "de_at"], active: "de-AT").selected == "de_at")
        #expect(LanguageChoice(["en"], active: "fr").selected == nil)
        #expect(LanguageChoice([], active: "en", available: ["fr", "en"]).languages == ["en", "fr"])
        #expect(LanguageChoice([], active: "en").languages == ["de", "en"])
    }

    @Test("A user is called by the name to show, then by what else is known, then by nothing")
    func names() {
        let texts = ThunderIDTexts(language: "de")
        #expect(texts.name(of: ThunderIDClient.User(sub: "1", username: "ada", displayName: "Ada")) == "Ada")
        #expect(texts.name(of: ThunderIDClient.User(sub: "1", username: "ada", email: "a@b.example")) == "ada")
        #expect(texts.name(of: ThunderIDClient.User(sub: "1", email: "a@b.example")) == "a@b.example")
        #expect(texts.name(of: nil) == texts.text(.userAnonymous))
    }

    @Test("A button says what the server says, then whose page it leads to, then its name")
    func titles() {
        let texts = ThunderIDTexts(language: "de")
        func title(_ id: String, _ label: String? = nil, trigger: Bool = true) -> String {
            texts.title(of: FlowAction(id: id, label: label, eventType: trigger ? "TRIGGER" : "SUBMIT"))
        }
        #expect(title("action_google", "Los mit Google") == "Los mit Google")
        #expect(title("action_google") == "Weiter mit Google")
        #expect(title("action_microsoft") == "Weiter mit Microsoft")
        #expect(title("action_passkey") == "Weiter mit einem Passkey")
        #expect(title("action_send_code", trigger: false) == "Send code")
        #expect(title("action_001") == texts.text(.signInSubmit))
        for brand in SignInBrand.allCases { #expect(texts.title(of: brand).hasPrefix("Weiter mit ")) }
    }

    @Test("The picture on a button is the app's, then the server's, then a sign of our own")
    func pictures() {
        func action(_ icon: String?) -> FlowAction { FlowAction(id: "google", eventType: "TRIGGER", icon: icon) }
        let named = ButtonPicture(.google, action: action("icons/g-logo.svg"))
        #expect(named.names == ["g-logo", "google"] && named.address == nil && named.letter == "G")
        let loaded = ButtonPicture(.google, action: action("https://a.example/g.svg"))
        #expect(loaded.names == ["google"] && loaded.address?.absoluteString == "https://a.example/g.svg")
        #expect(ButtonPicture(.apple).symbol == "apple.logo")
        #expect(ButtonPicture(.passkey).letter == nil && ButtonPicture(.passkey).symbol != nil)
        let none = ButtonPicture(nil, action: FlowAction(id: "saml"))
        #expect(none.names.isEmpty && none.symbol == nil && none.letter == nil)
    }

    @Test("Labels of a record are the server's, then those of this library, then the attributes' names")
    func labels() {
        let texts = ThunderIDTexts(language: "de")
        func label(_ name: String, _ label: String? = nil) -> String {
            texts.label(
                of: ProfileForm.Field(name: name, label: label, kind: .text, isRequired: false, isReadOnly: false))
        }
        #expect(label("given_name", "Rufname") == "Rufname")
        #expect(label("given_name", "") == "Vorname")
        #expect(label("shoe_size") == "Shoe size")
    }

    @Test("Tests find parts of the views by what never changes")
    func identifiers() {
        #expect(ElementIdentifier.field("username") == "thunderid-field-username")
        #expect(ElementIdentifier.action("action_001") == "thunderid-action-action_001")
        #expect(ElementIdentifier.language("de") == "thunderid-language-de")
    }
}
