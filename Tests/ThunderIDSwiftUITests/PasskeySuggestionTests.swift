import Foundation
import IdentityKit
import TestSupport
import Testing
import ThunderID
import ThunderIDSwiftUI

/// Passkeys that are suggested while a person types.
@MainActor
@Suite struct PasskeySuggestionTests {
    private static let passkeyInputs = [
        ("credentialId", "string"), ("clientDataJSON", "string"), ("authenticatorData", "string"),
        ("signature", "string"), ("userHandle", "string"),
    ]

    /// A step that asks a person and a passkey alike.
    private static let both = ScriptedFlow.step(
        [("username", "TEXT_INPUT"), ("password", "PASSWORD_INPUT")] + passkeyInputs, actions: ["go"],
        additional: ["passkeyChallenge": #"{"challenge":"AQID","rpId":"id.example.com"}"#])
    private static let next = ScriptedFlow.step([("otp", "OTP_INPUT")], actions: ["go"])

    @Test("A passkey that is suggested and taken goes to the server in place of what the fields hold")
    func taken() async throws {
        let server = try await ScriptedFlow([Self.both, Self.next])
        let passkeys = SuggestedPasskeys()
        let flow = await server.flow(handlers: SignInHandlers(passkeys: passkeys))
        #expect(flow.inputs.map(\.name) == ["username", "password"] && flow.primaryAction == nil)
        #expect(passkeys.timesAsked == 0)
        let suggesting = Task { await flow.suggestPasskeys() }
        #expect(await passkeys.waitForSuggestion() == Data([1, 2, 3]))
        flow.setValue("ad", for: "username")
        passkeys.take()
        await suggesting.value
        #expect(flow.inputs.map(\.name) == ["otp"] && flow.error == nil)
        let inputs = server.calls.last?["inputs"]?.objectValue
        #expect(inputs?["signature"]?.stringValue == "cw" && inputs?["username"] == nil)
        await server.http.stop()
    }

    @Test("A person who types sends no empty passkey, and the suggestion ends with its task")
    func typed() async throws {
        let server = try await ScriptedFlow([Self.both, Self.next])
        let passkeys = SuggestedPasskeys()
        let flow = await server.flow(handlers: SignInHandlers(passkeys: passkeys))
        let suggesting = Task { await flow.suggestPasskeys() }
        _ = await passkeys.waitForSuggestion()
        await flow.fillIn(["username": "ada", "password": "p"])
        suggesting.cancel()
        await suggesting.value
        #expect(server.calls.last?["inputs"] == ["username": "ada", "password": "p"])
        #expect(flow.inputs.map(\.name) == ["otp"] && flow.error == nil && server.calls.count == 2)
        await server.http.stop()
    }

    @Test("A passkey that comes after its step is not sent")
    func late() async throws {
        let server = try await ScriptedFlow([Self.both, Self.next])
        let passkeys = SuggestedPasskeys()
        let flow = await server.flow(handlers: SignInHandlers(passkeys: passkeys))
        let suggesting = Task { await flow.suggestPasskeys() }
        _ = await passkeys.waitForSuggestion()
        await flow.fillIn(["username": "ada", "password": "p"])
        passkeys.take()
        await suggesting.value
        #expect(server.calls.count == 2 && flow.error == nil)
        await server.http.stop()
    }

    @Test("What goes wrong with a suggestion is not shown: nobody asked for it")
    func failed() async throws {
        let server = try await ScriptedFlow([Self.both])
        let passkeys = SuggestedPasskeys()
        let flow = await server.flow(handlers: SignInHandlers(passkeys: passkeys))
        let suggesting = Task { await flow.suggestPasskeys() }
        _ = await passkeys.waitForSuggestion()
        passkeys.take(failing: PasskeyError.domainNotAssociated)
        await suggesting.value
        #expect(flow.error == nil && !flow.isLoading && server.calls.count == 1)
        await server.http.stop()
    }

    @Test("Where nothing can be suggested the same step asks for the passkey, as before")
    func notSuggested() async throws {
        let server = try await ScriptedFlow([Self.both, Self.next])
        let passkeys = SuggestedPasskeys(suggests: false)
        let flow = await server.flow(handlers: SignInHandlers(passkeys: passkeys))
        #expect(passkeys.timesAsked == 1 && flow.inputs.map(\.name) == ["otp"])
        await flow.suggestPasskeys()
        #expect(server.calls.count == 2)
        await server.http.stop()
    }

    @Test("A step without a challenge suggests nothing, and one for a passkey alone is asked for at once")
    func otherSteps() async throws {
        let alone = ScriptedFlow.step(
            Self.passkeyInputs, actions: ["go"],
            additional: ["passkeyChallenge": #"{"challenge":"AQID","rpId":"id.example.com"}"#])
        let fields = ScriptedFlow.step([("username", "TEXT_INPUT")], actions: ["go"])
        let server = try await ScriptedFlow([fields, alone, Self.next])
        let passkeys = SuggestedPasskeys()
        let flow = await server.flow(handlers: SignInHandlers(passkeys: passkeys))
        await flow.suggestPasskeys()
        #expect(passkeys.timesAsked == 0)
        await flow.fillIn(["username": "ada"])
        #expect(passkeys.timesAsked == 1 && flow.inputs.map(\.name) == ["otp"])
        await server.http.stop()
    }
}

/// A system that suggests passkeys, and waits for the person.
private final class SuggestedPasskeys: PasskeyAuthenticator {
    let suggestsPasskeys: Bool
    private let asked = Locked(0)
    private let (suggested, suggest) = AsyncStream.makeStream(of: Data.self)
    private let (choices, choose) = AsyncStream.makeStream(of: Result<Void, any Error>.self)

    init(suggests: Bool = true) { suggestsPasskeys = suggests }

    /// How often a sheet was shown.
    var timesAsked: Int { asked.withLock { $0 } }

    /// Waits until something is suggested.
    /// - Returns: the challenge.
    func waitForSuggestion() async -> Data? {
        for await challenge in suggested { return challenge }
        return nil
    }

    func take() { choose.yield(.success(())) }
    func take(failing error: any Error) { choose.yield(.failure(error)) }

    func suggestedAssertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        suggest.yield(request.challenge)
        for await choice in choices {
            try choice.get()
            return assertion
        }
        throw CancellationError()
    }

    func assertion(for request: PasskeyRequest) async throws -> PasskeyAssertion {
        asked.withLock { $0 += 1 }
        return assertion
    }

    func registration(for creation: PasskeyCreation) async throws -> PasskeyRegistration {
        throw PasskeyError.notSupported
    }

    private var assertion: PasskeyAssertion {
        PasskeyAssertion(
            credentialID: Data("id".utf8), clientDataJSON: Data("client".utf8), authenticatorData: Data("a".utf8),
            signature: Data("s".utf8))
    }
}
