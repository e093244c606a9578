import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import Testing
import ThunderID

/// The settings, options and members that ThunderID's SDK has, and what they do.
@Suite struct SDKOptionTests {
    @Test("A sign-in begins at the app's own page, with the parameters of the authorization request")
    func signInPage() async throws {
        let fixture = try await ClientFixture { $0.signInUrl = "https://app.example/sign-in?brand=notes" }
        for page in [try fixture.client.buildSignInURL(), try await fixture.client.signInURL()] {
            #expect(page.absoluteString.hasPrefix("https://app.example/sign-in?brand=notes&"))
            let parameters = try CallbackURL(page)
            #expect(parameters["client_id"] == fixture.server.application.clientID)
            #expect(parameters["state"]?.count == 43 && parameters["code_challenge"]?.count == 43)
        }
        // The app's own screens need no page.
        #expect(try await fixture.signIn().establishesSession)
        let plain = try await fixture.restarted { $0.signInUrl = "http://app.example/sign-in" }
        #expect(await iamError { try plain.buildSignInURL() }?.code == .invalidConfiguration)
        await fixture.server.stop()
    }

    @Test("A registration has a page of the app's own, with the application and the options")
    func signUpPage() async throws {
        let fixture = try await ClientFixture {
            ($0.applicationId, $0.signUpUrl) = ("app", "https://app.example/join")
            $0.signUpOptions = ["plan": "free", "seats": 2, "applicationId": "other"]
        }
        let usual = try CallbackURL(fixture.client.signUpURL())
        #expect(usual["applicationId"] == "app" && usual["plan"] == "free" && usual["seats"] == "2")
        let options = SignUpOptions(appId: "beta", extra: ["plan": "team", "trial": true])
        let chosen = try CallbackURL(fixture.client.signUpURL(options: options))
        #expect(chosen["applicationId"] == "beta" && chosen["plan"] == "team" && chosen["trial"] == "true")
        let without = try await fixture.restarted()
        #expect(await iamError { try without.signUpURL() }?.message == "Set signUpUrl.")
        await fixture.server.stop()
    }

    @Test("Options of any type are parameters: texts as they are, other values as JSON, null not at all")
    func parameters() async throws {
        let fixture = try await ClientFixture {
            $0.signInOptions = [
                "claims": ["id_token": ["email": NSNull()]], "level": 2, "none": NSNull(), "theme": "dark",
            ]
        }
        let options = SignInOptions(extra: ["theme": "light", "beta": true])
        let parameters = try CallbackURL(fixture.client.buildSignInURL(options: options))
        #expect(parameters["claims"] == #"{"id_token":{"email":null}}"# && parameters["level"] == "2")
        #expect(parameters["theme"] == "light" && parameters["beta"] == "true" && parameters["none"] == nil)
        #expect(options.extra["theme"] as? String == "light" && options.extra["beta"] as? Bool == true)
        #expect(try fixture.client.getConfiguration().signInOptions["level"] as? Int == 2)
        await fixture.server.stop()
    }

    @Test("The server's page speaks the app's language, or the one of the options")
    func languages() async throws {
        let fixture = try await ClientFixture { $0.language = "de" }
        func locales(_ options: SignInOptions? = nil) throws -> String? {
            try CallbackURL(fixture.client.buildSignInURL(options: options))["ui_locales"]
        }
        #expect(try locales() == "de")
        fixture.client.setLanguage("fr-CA")
        #expect(try locales() == "fr-CA")
        #expect(try locales(SignInOptions(extra: ["ui_locales": "nl en"])) == "nl en")
        let silent = try await fixture.restarted { $0.language = nil }
        #expect(try CallbackURL(silent.buildSignInURL())["ui_locales"] == nil)
        await fixture.server.stop()
    }

    @Test("The client's secret authenticates it, and no dump shows it")
    func secret() async throws {
        let fixture = try await ClientFixture { $0.clientSecret = "s3cret" }
        // The local server's application has none.
        _ = try? await fixture.signInByRedirect()
        let call = try #require(fixture.wire.requests(to: "/oauth2/token").last)
        let pair = Data("\(fixture.server.application.clientID):s3cret".utf8).base64EncodedString()
        #expect(call.header("Authorization") == "Basic \(pair)")
        var config = try fixture.client.getConfiguration()
        #expect(config.clientSecret == "s3cret" && !String(reflecting: config).contains("s3cret"))
        config.clientSecret = nil
        #expect(config.clientSecret == nil)
        await fixture.server.stop()
    }

    @Test("A sign-out at the server has the parameters of the configuration and of the call")
    func signOut() async throws {
        let fixture = try await ClientFixture { $0.signOutOptions = ["reason": "shared", "kiosk": true] }
        try await fixture.signInByRedirect()
        let page = try CallbackURL(#require(await fixture.client.signOutURL()))
        #expect(page["reason"] == "shared" && page["kiosk"] == "true" && page["client_id"] != nil)
        let hint = try #require(page["id_token_hint"])
        try await fixture.client.signOut(options: SignOutOptions(idTokenHint: hint, extra: ["reason": "done"]))
        let call = try #require(fixture.wire.requests(to: "/oauth2/logout").first)
        #expect(call.parameter("reason") == "done" && call.parameter("kiosk") == "true")
        let clash = try await fixture.restarted { $0.signOutOptions = ["client_id": "x"] }
        #expect(await iamError { try await clash.signOutURL() }?.code == .invalidConfiguration)
        await fixture.server.stop()
    }

    @Test("Validation is never turned off, and a clock may be wrong by what is set")
    func validation() async throws {
        let fixture = try await ClientFixture()
        for wrong in [
            TokenValidationConfig(validate: false), TokenValidationConfig(validateIssuer: false),
            TokenValidationConfig(clockTolerance: -1), TokenValidationConfig(clockTolerance: 601),
        ] {
            let error = await iamError { try await fixture.restarted { $0.tokenValidation = wrong } }
            #expect(error?.code == .invalidConfiguration)
        }
        let client = try await fixture.restarted { $0.tokenValidation = TokenValidationConfig(clockTolerance: 300) }
        let callback = try await fixture.visit(client.buildSignInURL())
        #expect(try await client.handleRedirectCallback(url: callback).sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("The organization's handle stays with the configuration")
    func organization() async throws {
        let fixture = try await ClientFixture { $0.organizationHandle = "acme" }
        #expect(try fixture.client.getConfiguration().organizationHandle == "acme")
        #expect(!(try fixture.client.buildSignInURL().absoluteString).contains("acme"))
        await fixture.server.stop()
    }

    @Test("What the server says of an application is a dictionary of plain values")
    func flowMeta() async throws {
        let fixture = try await ClientFixture()
        let meta: [String: Any] = try await fixture.client.getFlowMeta(applicationId: fixture.server.application.id)
        #expect(meta["isRegistrationFlowEnabled"] as? Bool == true)
        #expect((meta["i18n"] as? [String: Any])?["language"] as? String == "en-US")
        #expect(((meta["i18n"] as? [String: Any])?["languages"] as? [Any])?.first is String)
        await fixture.server.stop()
    }

    @Test("A person's claims are read by name, and those of the protocol are told apart")
    func claims() async throws {
        let fixture = try await ClientFixture()
        let user = try await fixture.signInByRedirect()
        #expect(user["given_name"] as? String == "Ada" && user["missing"] == nil)
        #expect(user.givenName == "Ada" && user.familyName == "Lovelace")
        #expect(user.profileClaims["email"] != nil && user.claims?["iss"] != nil)
        #expect(user.profileClaims["iss"] == nil && user.profileClaims["exp"] == nil)
        await fixture.server.stop()
    }

    @Test("An application that binds its tokens says which setting is missing")
    func bindingMissing() async throws {
        var configuration = LocalThunderIDServer.Configuration()
        configuration.application.requiresDPoP = true
        let fixture = try await ClientFixture(configuration: configuration)
        let error = await iamError { try await fixture.signInByRedirect() }
        #expect(error?.code == .invalidConfiguration && error?.serverCode?.isEmpty == false)
        #expect(error?.message.contains("Set bindsTokens") == true)
        let client = try await fixture.restarted { $0.bindsTokens = true }
        let callback = try await fixture.visit(client.buildSignInURL())
        #expect(try await client.handleRedirectCallback(url: callback).sub == fixture.server.user.id)
        await fixture.server.stop()
    }
}
