import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID

@testable import ThunderIDSwiftUI

/// Which language a form speaks, and how it changes while it is shown.
@MainActor @Suite struct FlowLanguageTests {
    /// A server whose texts are in the language that it is asked for. Its step has a label of its own for one field alone.
    private static func server(_ answers: [JSONValue]) async throws -> LocalHTTPServer {
        let left = Locked(answers)
        return try await LocalHTTPServer.start { request in
            guard request.path == "/flow/execute" else {
                let language = request.query.first { $0.name == "language" }?.value ?? ""
                return .json([
                    "i18n": [
                        "language": .string(language),
                        "translations": [
                            "signin": ["title": .string("title \(language)"), "user": .string("user \(language)")],
                            "flows": ["executor.errors.invalid_credentials": .string("wrong \(language)")],
                        ],
                    ]
                ])
            }
            return left.withLock { $0.isEmpty ? .text("", status: 500) : .json($0.removeFirst()) }
        }
    }

    private static func step(error: String? = nil) -> JSONValue {
        var step: JSONValue = ScriptedFlow.step(
            [("login", "TEXT_INPUT"), ("password", "PASSWORD_INPUT")], actions: ["action_001"], error: error)
        step["data"]?["meta"] = [
            "components": [
                ["type": "TEXT", "variant": "HEADING_1", "label": "{{ t(signin:title) }}"],
                ["type": "TEXT_INPUT", "ref": "login", "label": "{{ t(signin:user) }}"],
            ]
        ]
        return step
    }

    private func client(_ server: LocalHTTPServer, language: String) async throws -> ThunderIDClient {
        let client = ThunderIDClient(environment: IdentityEnvironment(store: MemoryTokenStore()))
        try await client.initialize(
            config: ThunderIDConfig(
                baseUrl: server.url.absoluteString, applicationId: "app", language: language, allowsLoopbackHTTP: true))
        return client
    }

    private func state(_ client: ThunderIDClient, memory: LanguageMemory? = nil) -> ThunderIDState {
        ThunderIDState(
            client: client,
            i18n: ThunderIDI18n(
                bundles: ["de": ["signIn.submit": "Los"]], usualLanguage: try? client.getConfiguration().language,
                storageKey: "locale", memory: memory ?? LanguageMemory(language: { _ in nil }, setLanguage: { _, _ in })
            ))
    }

    @Test("The server's texts come first, then the app's, then the library's")
    func order() async throws {
        let server = try await Self.server([Self.step()])
        let state = state(try await client(server, language: "de"))
        let flow = SignInFlow(applicationId: "app")
        await state.start()
        await flow.start(below: state)
        #expect(flow.headings == ["title de"])
        #expect(flow.inputs.map(flow.title(of:)) == ["user de", "Passwort"])
        #expect(flow.actions.map(flow.title(of:)) == ["Los"])
        #expect(flow.title(of: .tryAgain) == "Noch einmal versuchen")
        await flow.advance("refuse")
        #expect(flow.error == "Das ist hier nicht möglich. Wählen Sie eine der Schaltflächen.")
        #expect(flow.failure?.code == .invalidInput && flow.failure?.message.hasPrefix("This is not") == true)
        await flow.advance()
        #expect(flow.problems == ["login": "Diese Angabe ist nötig.", "password": "Diese Angabe ist nötig."])
        await server.stop()
    }

    @Test("Another language is spoken at once, by what is shown and by the server, and what was typed stays")
    func change() async throws {
        let server = try await Self.server([Self.step(), Self.step(error: "FET-1004")])
        let state = state(try await client(server, language: "de"))
        let flow = SignInFlow(applicationId: "app")
        await state.start()
        await flow.start(below: state)
        await flow.fillIn(["login": "ada", "password": "x"])
        #expect(flow.error == "wrong de" && flow.failure?.isLocalized == true && flow.value(for: "login") == "ada")
        await flow.advance()
        #expect(flow.problems == ["password": "Diese Angabe ist nötig."])
        state.setLocale("en")
        #expect(state.texts.language == "en" && state.i18n.activeLocale == "en")
        await flow.start(below: state)
        #expect(flow.headings == ["title en"] && flow.inputs.map(flow.title(of:)) == ["user en", "Password"])
        #expect(flow.problems == ["password": "This is needed."] && flow.value(for: "login") == "ada")
        state.setLocale("fr")
        await flow.start(below: state)
        // The library has no French, and the server has.
        #expect(flow.headings == ["title fr"] && flow.inputs.map(flow.title(of:)) == ["user fr", "Password"])
        await server.stop()
        state.setLocale("de")
        await flow.start(below: state)
        // What cannot be fetched stays, and the rest changes.
        #expect(flow.headings == ["title de"] && flow.actions.map(flow.title(of:)) == ["Los"])
        state.setLocale("it")
        await flow.start(below: state)
        #expect(flow.headings == ["title de"] && flow.actions.map(flow.title(of:)) == ["Continue"])
    }

    @Test("What a step says went wrong is said again in the new language")
    func errorOfStep() async throws {
        let server = try await Self.server([Self.step(), Self.step(error: "FET-1004")])
        let flow = SignInFlow(applicationId: "app")
        await flow.start(with: try await client(server, language: "fr"))
        await flow.fillIn(["login": "ada", "password": "x"])
        #expect(flow.error == "wrong fr")
        await flow.languageChanged(to: ThunderIDTexts(language: "de"))
        #expect(flow.error == "wrong de")
        // In English the library says it, because it says what to do.
        await flow.languageChanged(to: ThunderIDTexts(language: "en"))
        #expect(flow.error == "The user name or the password is wrong. Try again.")
        await server.stop()
    }

    @Test("A flow without a state speaks the client's language, or the one that the app says")
    func standalone() async throws {
        let server = try await Self.server([Self.step(), Self.step()])
        let client = try await client(server, language: "de-AT")
        let flow = SignInFlow(applicationId: "app")
        await flow.start(with: client)
        #expect(flow.texts.language == "de-AT" && flow.title(of: .startAgain) == "Von vorn beginnen")
        let english = SignInFlow(applicationId: "app", texts: ThunderIDTexts(language: "en"))
        await english.start(with: client)
        #expect(english.title(of: .startAgain) == "Start again")
        await server.stop()
    }

    @Test("A device that is locked says so in the language, and the language may change meanwhile")
    func locked() async throws {
        let server = try await Self.server([])
        let store = FaultyTokenStore()
        store.fail(.read, with: TokenStoreError.locked(detail: "the device is locked."))
        store.fail(.list, with: TokenStoreError.locked(detail: "the device is locked."))
        let config = ThunderIDConfig(
            baseUrl: server.url.absoluteString, applicationId: "app", language: "de", allowsLoopbackHTTP: true)
        let state = ThunderIDState(
            client: ThunderIDClient(environment: IdentityEnvironment(store: store)), config: config)
        let flow = SignInFlow(applicationId: "app")
        await state.start()
        await flow.start(below: state)
        let german =
            "Die gespeicherte Anmeldung ist gesperrt. Entsperren Sie das Gerät und versuchen Sie es noch einmal."
        #expect(state.error == german && flow.error == german)
        #expect(state.failure?.message.hasPrefix("The token store is locked") == true)
        state.setLocale("en")
        await flow.start(below: state)
        #expect(state.error == state.failure?.message && flow.error == state.error)
        await server.stop()
    }

    @Test("The chosen language is kept, and comes before that of the configuration and after what the app insists on")
    func memory() async throws {
        let kept = Locked<[String: String]>([:])
        let memory = LanguageMemory(
            language: { key in kept.withLock { $0[key] } },
            setLanguage: { language, key in kept.withLock { $0[key] = language } })
        let server = try await Self.server([])
        let client = try await client(server, language: "de")
        #expect(state(client, memory: memory).texts.language == "de")
        state(client, memory: memory).setLocale("en-GB")
        #expect(kept.withLock { $0 } == ["locale": "en-GB"])
        #expect(state(client, memory: memory).texts.language == "en-GB")
        let insisting = ThunderIDI18n(language: "fr", usualLanguage: "de", storageKey: "locale", memory: memory)
        #expect(insisting.activeLocale == "fr")
        #expect(insisting.resolve("signIn.button") == "Sign in")
        await server.stop()
    }

    @Test("A language that is chosen at the i18n object reaches the state and the client")
    func follows() async throws {
        let server = try await Self.server([Self.step()])
        let client = try await client(server, language: "de")
        let state = state(client)
        await state.start()
        state.i18n.setLocale("en")
        let flow = SignInFlow(applicationId: "app")
        await flow.start(below: state)
        #expect(state.texts.language == "en" && flow.headings == ["title en"])
        await server.stop()
    }
}
