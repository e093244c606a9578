import Foundation
import IdentityKit
import IdentityTesting
import IdentityOAuth
import Testing
import ThunderID

/// Steps beyond a password, in front of the framework's prompter.
@Suite struct ProviderFlowTests {
    private typealias Server = ScriptedFlowServer

    /// The assertion of a flow that signed Ada in. Its signature is not checked.
    private static let assertion = "e30." + Base64URL.encode(Data(#"{"sub":"ada","iat":1,"exp":3601}"#.utf8)) + ".c2ln"
    private static let signedIn: JSONValue = [
        "executionId": "e", "flowStatus": "COMPLETE", "data": [:], "assertion": .string(assertion),
    ]

    private func signIn(
        at server: ScriptedFlowServer, _ prompter: any FlowPrompter, browser: (any WebAuthenticator)? = nil,
        passkeys: (any PasskeyAuthenticator)? = nil, attestation: ThunderIDProvider.Attestation? = nil
    ) async throws -> AccountID? {
        let settings = ThunderIDSettings(
            baseURL: try ServerURL(server.http.url.absoluteString, allowsLoopbackHTTP: true), applicationID: "app",
            allowsLoopbackHTTP: true)
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), prompter: prompter, webAuthenticator: browser, time: server.clock.dates)
        return try await ThunderIDProvider(
            settings: settings, context: ProviderContext(name: "work", environment: environment), passkeys: passkeys,
            attestation: attestation
        ).signIn(scopes: [], deviceToken: "d")
    }

    @Test("A code, a choice and a step that only shows something are asked for as they are")
    func secondFactor() async throws {
        let server = try await Server([
            Server.asks([("username", "TEXT_INPUT"), ("password", "PASSWORD_INPUT")]),
            Server.asks([("otp", "OTP_INPUT")], token: "t2"),
            Server.step(["inputs": [["identifier": "plan", "type": "SELECT", "options": ["a", "b"]]]], token: "t3"),
            Server.step(["additionalData": ["message": "Welcome back"]], token: "t4"),
            Self.signedIn,
        ])
        let prompter = ScriptedPrompter(
            ["username": "ada", "password": "planted"], ["otp": "123456"], ["plan": "b", "password": "planted"], [:])
        #expect(try await signIn(at: server, prompter)?.account == "ada")
        #expect(
            prompter.prompts.map { $0.fields.map(\.kind) } == [[.username, .password], [.oneTimeCode], [.choice], []])
        #expect(prompter.prompts.last?.message == "Welcome back")
        #expect(prompter.prompts[2].fields[0].options == ["a", "b"])
        #expect(server.calls.map { $0["challengeToken"] } == [nil, "t1", "t2", "t3", "t4"])
        #expect(server.calls.count { "\($0)".contains("planted") } == 1)
        await server.stop()
    }

    @Test("A step at another identity provider opens the browser and comes back with code and state")
    func social() async throws {
        let step = Server.step(
            ["redirectURL": "https://idp.example/auth?state=s1&redirect_uri=com.example.app%3A%2F%2Fidp"],
            type: "REDIRECTION")
        let server = try await Server([step, Self.signedIn, step])
        let browser = ScriptedBrowser { page in
            #expect(page.host == "idp.example")
            return try #require(URL(string: "com.example.app://idp?code=c1&state=s1"))
        }
        #expect(try await signIn(at: server, ScriptedPrompter(), browser: browser)?.account == "ada")
        #expect(server.calls[1]["inputs"] == ["code": "c1", "state": "s1"])
        let error = await iamError { try await signIn(at: server, ScriptedPrompter()) }
        #expect(error?.code == .mfaRequired)
        await server.stop()
    }

    @Test("A passkey signs in without a prompt, and its challenge is known afterwards")
    func passkey() async throws {
        let server = try await Server([
            Server.asks(
                [("credentialId", "string")],
                additional: ["passkeyChallenge": #"{"challenge":"AQID","rpId":"example.com"}"#]),
            Server.asks(
                [("credentialId", "string")],
                additional: [
                    "passkeyCreationOptions":
                        #"{"challenge":"AQID","rp":{"id":"example.com"},"user":{"id":"Bw","name":"ada"}}"#
                ]),
            Self.signedIn,
        ])
        let prompter = ScriptedPrompter()
        #expect(try await signIn(at: server, prompter, passkeys: ScriptedPasskeys())?.account == "ada")
        #expect(prompter.prompts.isEmpty)
        #expect(server.calls[1]["inputs"]?["signature"] == "AQID")
        #expect(server.calls[2]["inputs"]?["attestationObject"] == "AQID")
        await server.stop()
    }

    /// A step that asks a person and a passkey alike.
    private static let both = Server.asks(
        [
            ("username", "TEXT_INPUT"), ("password", "PASSWORD_INPUT"), ("clientDataJSON", "string"),
            ("signature", "string"),
        ],
        additional: ["passkeyChallenge": #"{"challenge":"AQID","rpId":"example.com"}"#])

    @Test("A passkey that is suggested beside the fields signs in, and the screen closes the step")
    func suggestedPasskey() async throws {
        let server = try await Server([Self.both, Self.signedIn])
        let (engine, passkeys) = (SignInEngine(), SuggestedPasskeys())
        async let account = signIn(at: server, engine, passkeys: passkeys)
        for await screen in await engine.screens() {
            guard let prompt = screen.prompt else { continue }
            #expect(prompt.fields.map(\.identifier) == ["username", "password"])
            break
        }
        await engine.enter("ad", in: "username")
        await engine.enter("planted", in: "password")
        passkeys.take()
        #expect(try await account?.account == "ada")
        #expect(server.calls[1]["inputs"]?["signature"] == "AQID" && server.calls[1]["inputs"]?["username"] == nil)
        #expect(await engine.screen.prompt == nil)
        #expect(await engine.screen.values["password"] == nil)
        await server.stop()
    }

    @Test("A person who types sends no passkey, whatever becomes of the suggestion", arguments: [true, false])
    func typedBesideSuggestion(fails: Bool) async throws {
        let server = try await Server([Self.both, Self.signedIn])
        let (prompter, passkeys) = (ScriptedPrompter(["username": "ada", "password": "p"]), SuggestedPasskeys())
        if fails { passkeys.fail() }
        #expect(try await signIn(at: server, prompter, passkeys: passkeys)?.account == "ada")
        #expect(server.calls[1]["inputs"] == ["username": "ada", "password": "p"])
        #expect(prompter.prompts.map { $0.fields.map(\.identifier) } == [["username", "password"]])
        await server.stop()
    }

    @Test("Without an authenticator for passkeys, the sign-in says so")
    func noPasskeys() async throws {
        let server = try await Server([
            Server.asks([("x", "string")], additional: ["passkeyChallenge": #"{"challenge":"AQID","rpId":"e.com"}"#])
        ])
        let error = await iamError { try await signIn(at: server, ScriptedPrompter()) }
        #expect(error?.code == .passkeyNotSupported && error?.passkeyError == .notSupported)
        await server.stop()
    }

    @Test("Consent is asked for element by element, and nothing is agreed to by silence")
    func consent() async throws {
        let question = #"[{"purposeName":"p","essential":[{"name":"email"}],"optional":[{"name":"phone"}]}]"#
        let server = try await Server([
            Server.asks([("consent_decisions", "CONSENT_INPUT")], additional: ["consentPrompt": .string(question)]),
            Self.signedIn,
        ])
        let prompter = ScriptedPrompter(["consent.email": "true"])
        _ = try await signIn(at: server, prompter)
        #expect(prompter.prompts.first?.fields.map(\.identifier) == ["consent.email", "consent.phone"])
        #expect(prompter.prompts.first?.fields.map(\.isRequired) == [true, false])
        let decisions = try JSONValue(
            parsing: Data((server.calls[1]["inputs"]?["consent_decisions"]?.stringValue ?? "").utf8))
        #expect(
            decisions["purposes"]?.arrayValue?.first?["elements"]?.arrayValue?.map { $0["approved"] } == [true, false])
        await server.stop()
    }

    @Test("An attestation is made for the start alone")
    func attestation() async throws {
        let fixture = try await ThunderIDFixture(
            configuration: .init(application: .init(attestation: .platform(accepting: "good"))))
        let count = Locked(0)
        let settings = ThunderIDSettings(
            baseURL: try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true),
            applicationID: fixture.server.application.id, allowsLoopbackHTTP: true)
        let environment = IdentityEnvironment(
            store: fixture.store, prompter: ScriptedPrompter(fixture.credentials), time: fixture.clock.dates)
        let provider = try ThunderIDProvider(
            settings: settings, context: ProviderContext(name: "work", environment: environment),
            attestation: {
                count.withLock { $0 += 1 }
                return "good"
            })
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        #expect(count.withLock { $0 } == 1)
        await fixture.server.stop()
    }
}

/// A system that suggests passkeys, and waits for the person until its task is cancelled.
private final class SuggestedPasskeys: PasskeyAuthenticator {
    let suggestsPasskeys = true
    private let (choices, choose) = AsyncStream.makeStream(of: Bool.self)

    func take() { choose.yield(true) }
    func fail() { choose.yield(false) }

    func suggestedAssertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        for await isTaken in choices {
            guard isTaken else { throw PasskeyError.domainNotAssociated }
            return try await ScriptedPasskeys().assertion(for: request)
        }
        throw CancellationError()
    }

    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion { throw PasskeyError.notAllowed }

    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration {
        throw PasskeyError.notAllowed
    }
}

/// A person whose passkeys respond with the challenge itself.
struct ScriptedPasskeys: PasskeyAuthenticator {
    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        PasskeyAssertion(
            credentialID: Data([1]), clientDataJSON: Data("{}".utf8), authenticatorData: Data([2]),
            signature: request.challenge)
    }

    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration {
        PasskeyRegistration(
            credentialID: Data([1]), clientDataJSON: Data("{}".utf8), attestationObject: creation.challenge)
    }
}
