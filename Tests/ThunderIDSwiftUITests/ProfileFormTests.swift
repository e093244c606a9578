import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing
import ThunderID

@testable import ThunderIDSwiftUI

/// The form of a user's own record, without views.
@MainActor @Suite(.endsInTime) struct ProfileFormTests {
    /// A form of a user who is signed in.
    private func form(
        _ fixture: FlowFixture, attributes: [String]? = nil
    ) async -> (form: ProfileForm, state: ThunderIDState) {
        let state = ThunderIDState(
            client: fixture.client, handlers: SignInHandlers(webAuthenticator: fixture.browser))
        await state.start()
        await state.signIn()
        let form = ProfileForm(client: fixture.client, attributes: attributes)
        await form.load()
        return (form, state)
    }

    @Test("It shows what the record has and may have, names first, and neither passwords nor identifiers")
    func fields() async throws {
        let fixture = try await FlowFixture()
        let (form, _) = await form(fixture)
        let names = form.fields.map(\.name)
        #expect(Array(names.prefix(5)) == ["username", "name", "given_name", "family_name", "email"])
        #expect(names.contains("mobile_number"), "the user's type has it, the record has not")
        #expect(!names.contains("password") && !names.contains("sub"))
        #expect(form.value(for: "email") == "ada@example.org")
        #expect(form.value(for: "mobile_number").isEmpty)
        #expect(form.fields.filter(\.isReadOnly).map(\.name) == ["username"])
        #expect(form.failure == nil && !form.isLoading && !form.hasChanges)
        await fixture.server.stop()
    }

    @Test("An app chooses attributes and their order; one that nobody has is not shown")
    func chosen() async throws {
        let fixture = try await FlowFixture()
        let (form, _) = await form(fixture, attributes: ["family_name", "given_name", "shoe_size"])
        #expect(form.fields.map(\.name) == ["family_name", "given_name"])
        await fixture.server.stop()
    }

    @Test("Changes are saved, the others stay, and the signed-in user has them")
    func saves() async throws {
        let fixture = try await FlowFixture()
        let (form, state) = await form(fixture)
        form.setValue(" Augusta ", for: "given_name")
        form.setValue("+41790000000", for: "mobile_number")
        #expect(form.hasChanges)
        #expect(await form.save())
        #expect(!form.hasChanges)
        #expect(form.value(for: "given_name") == "Augusta")
        #expect(form.value(for: "email") == "ada@example.org")
        await state.refresh()
        #expect(state.user?.claims?["given_name"]?.json == "Augusta")
        let other = ProfileForm(client: fixture.client)
        await other.load()
        #expect(other.value(for: "given_name") == "Augusta")
        #expect(other.value(for: "mobile_number") == "+41790000000")
        await fixture.server.stop()
    }

    @Test("A form of one person changes nothing of the next, also when the app has seen the next one already")
    func nextPerson() async throws {
        let grace = LocalThunderIDServer.User(
            id: "01900000-0000-7000-8000-0000000000b2", username: "grace",
            attributes: ["email": "grace@example.org", "given_name": "Grace"])
        let fixture = try await FlowFixture { $0.additionalUsers = [grace] }
        let (form, state) = await form(fixture)
        let flow = await fixture.flow()
        await flow.fillIn(["username": "grace", "password": grace.password.reveal()])
        await state.refresh()
        #expect(state.user?.sub == grace.id)
        form.setValue("Augusta", for: "given_name")
        #expect(await form.save() == false)
        #expect(form.failure == IAMError.sessionChanged)
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/users/me")
        await form.load()
        #expect(form.profile == nil && form.fields.isEmpty && !form.hasChanges && form.failure?.code == .serverError)
        await form.load()
        #expect(form.value(for: "given_name") == "Grace" && form.failure == nil)
        form.setValue("Grace B.", for: "given_name")
        #expect(await form.save())
        await fixture.server.stop()
    }

    @Test("A form that is asked for the next person's record during a request reads it afterwards")
    func loadsAgain() async throws {
        let grace = LocalThunderIDServer.User(
            id: "01900000-0000-7000-8000-0000000000b2", username: "grace", attributes: ["given_name": "Grace"])
        let fixture = try await FlowFixture { $0.additionalUsers = [grace] }
        let (form, _) = await form(fixture)
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/users/me")
        let first = Task { await form.load() }
        await gate.waitForAnswer()
        let flow = await fixture.flow()
        await flow.fillIn(["username": "grace", "password": grace.password.reveal()])
        first.cancel()
        let second = Task { await form.load() }
        await Task.yield()
        gate.open()
        await second.value
        #expect(form.value(for: "given_name") == "Grace" && form.failure == nil)
        await fixture.server.stop()
    }

    @Test("An attribute that is emptied is gone; one that is needed says so, and nothing is sent")
    func emptied() async throws {
        let fixture = try await FlowFixture()
        let (form, _) = await form(fixture)
        form.setValue("", for: "family_name")
        #expect(await form.save())
        #expect(form.profile?.claims["family_name"] == nil)
        let count = fixture.requestCount
        form.setValue("  ", for: "email")
        #expect(await form.save() == false)
        #expect(form.problems == ["email": .userProfileMissing])
        #expect(fixture.requestCount == count)
        form.setValue("ada@example.com", for: "email")
        #expect(form.problems.isEmpty)
        await fixture.server.stop()
    }

    @Test("What is only shown cannot be typed over, and without a change nothing is sent")
    func readOnly() async throws {
        let fixture = try await FlowFixture()
        let (form, _) = await form(fixture)
        form.setValue("eve", for: "username")
        form.setValue("Ada", for: "given_name")
        #expect(form.value(for: "username") == "ada")
        #expect(!form.hasChanges)
        let count = fixture.requestCount
        #expect(await form.save())
        #expect(fixture.requestCount == count)
        await fixture.server.stop()
    }

    @Test("When the server cannot be reached, what was typed stays, and saving once more works")
    func unreachable() async throws {
        let fixture = try await FlowFixture()
        let (form, state) = await form(fixture)
        form.setValue("Augusta", for: "given_name")
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/users/me")
        #expect(await form.save() == false)
        #expect(form.failure != nil)
        #expect(form.value(for: "given_name") == "Augusta")
        #expect(await form.save())
        #expect(form.failure == nil)
        await state.signOut()
        await form.load()
        #expect(form.failure?.code == .sessionExpired)
        await fixture.server.stop()
    }

    @Test("A form above which nobody is signed in reads nothing")
    func signedOut() async throws {
        let fixture = try await FlowFixture()
        let state = ThunderIDState(client: fixture.client)
        let form = ProfileForm(attributes: nil)
        await form.load(below: state)
        await state.start()
        await form.load(below: state)
        #expect(form.profile == nil && form.failure == nil && form.fields.isEmpty)
        #expect(await form.save() == false)
        await fixture.server.stop()
    }

    @Test("A record says what is text, a number or a switch; lists and objects are left alone, as are other fields")
    func kinds() async throws {
        let record = Locked<JSONValue>([
            "id": "ada",
            "attributes": [
                "username": "ada", "size": 38, "news": true, "roles": ["a"], "address": ["city": "London"],
            ],
        ])
        let http = try await LocalHTTPServer.start { request in
            switch (request.method, request.path) {
            case ("GET", "/users/me"): return .json(record.withLock { $0 })
            case ("PUT", "/users/me"):
                let sent = request.json?["attributes"] ?? .null
                guard sent["code"] != "12" else {
                    return .json(["code": "USR-1019", "message": "Schema validation failed"], status: 400)
                }
                record.withLock { $0 = ["id": "ada", "attributes": sent] }
                return .json(record.withLock { $0 })
            // Rules of which one cannot be understood, and one is the server's to check.
            case ("GET", "/users/me/meta"):
                return .json(["schema": ["size": "?", "code": ["type": "string", "regex": "^[0-9]{4}$"]]])
            default: return .text("", status: 404)
            }
        }
        let client = try await Self.signedIn(at: http)
        let form = ProfileForm(client: client)
        await form.load()
        #expect(form.fields.map(\.name) == ["username", "code", "news", "size"])
        #expect(form.fields.map(\.kind) == [.text, .text, .boolean, .text])
        form.setValue("12", for: "code")
        form.setValue("false", for: "news")
        #expect(await form.save() == false)
        #expect(form.problems.isEmpty && form.failure != nil)
        form.setValue("1234", for: "code")
        #expect(await form.save())
        let saved = record.withLock { $0["attributes"] }
        #expect(saved?["news"] == false && saved?["code"] == "1234")
        #expect(saved?["roles"] == ["a"] && saved?["address"] == ["city": "London"])
        await http.stop()
    }

    /// A client with a session of a server that has users alone.
    private static func signedIn(at http: LocalHTTPServer) async throws -> ThunderIDClient {
        let store = MemoryTokenStore()
        let client = ThunderIDClient(environment: IdentityEnvironment(store: store))
        let base = http.url.absoluteString
        try await client.initialize(config: ThunderIDConfig(baseUrl: base, clientId: "app", allowsLoopbackHTTP: true))
        let realm = "thunderid:app@" + base
        let now = Date()
        let sessions = ProviderSessions(realm: realm, origin: .anyone(at: base), store: store, time: .system) { _ in
            throw CancellationError()
        }
        try await sessions.begin(
            Credential(
                accessToken: "token", issuedAt: now, expiresAt: now + 3600, signedInAt: now, backend: base),
            for: AccountID(account: "default", realm: realm))
        return client
    }

    @Test("Numbers and switches keep their kind")
    func values() throws {
        func value(_ type: String, _ text: String, required: Bool = false) throws -> JSONValue {
            try AttributeSchema(type: type, isRequired: required).value(of: text)
        }
        #expect(try value("number", "38") == 38)
        #expect(try value("number", "1.5") == 1.5)
        #expect(try value("boolean", "true") == true)
        #expect(try value("string", "38") == "38")
        #expect(try value("number", "") == .null)
        for text in ["x", "nan", "1e999"] {
            #expect(throws: AttributeSchema.ProblemError.self, "\(text)") { try value("number", text) }
        }
        #expect(throws: AttributeSchema.ProblemError.self) { try value("string", "", required: true) }
    }

    @Test("A form prints no value")
    func printing() async throws {
        let fixture = try await FlowFixture()
        let (form, _) = await form(fixture)
        var text = ""
        dump(form, to: &text)
        #expect(!text.contains("ada@example.org"))
        await fixture.server.stop()
    }
}
