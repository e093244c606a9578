import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("ThunderID gate: signing in by plain forms", .stopsServers)
struct GateTests {
    typealias Flow = LocalThunderIDServer.SignInFlow

    static func credentials(_ visitor: ThunderIDVisitor) -> [String: String] {
        ["input.username": visitor.server.user.username, "input.password": visitor.server.user.password.reveal()]
    }

    /// A server with hosted pages, and a person whose browser was sent to them.
    static func visit(
        _ flow: Flow = Flow(), _ adjust: (inout LocalThunderIDServer.Configuration) -> Void = { _ in }
    ) async throws -> (ThunderIDVisitor, FormVisitor, FormVisitor.Page) {
        var configuration = LocalThunderIDServer.Configuration {
            $0.servesGate = true
            $0.signIn = flow
        }
        adjust(&configuration)
        let visitor = try await ThunderIDVisitor.start(configuration)
        let person = FormVisitor(visitor.server.url)
        return (visitor, person, try await person.open(visitor.authorizationURL()))
    }

    @Test("A user name and a password lead back to the application with a code that works")
    func password() async throws {
        let (visitor, person, page) = try await Self.visit()
        #expect(page.title == "Sign In")
        #expect(page.fields == ["input.username", "input.password", "action", "leave"])
        #expect(page.html.contains("autocomplete=\"current-password\""))
        let landing = try await person.submit(page, Self.credentials(visitor))
        #expect(landing.url.absoluteString.hasPrefix(visitor.server.application.redirectURIs[0] + "?"))
        #expect(landing.url.parameter("state") == "st-1")
        #expect(try await visitor.redeem(landing.url.parameter("code") ?? "").status == 200)
    }

    @Test("A wrong password says so, keeps the user name and not the password, and can be put right")
    func wrongPassword() async throws {
        let (visitor, person, page) = try await Self.visit()
        let again = try await person.submit(page, ["input.username": "ada", "input.password": "guess"])
        #expect(again.status == 200 && again.alert == "The credentials provided are invalid.")
        #expect(again.value("input.username") == "ada")
        #expect(!again.html.contains("guess") && again.html.contains("aria-invalid=\"true\""))
        #expect(try await person.submit(again, Self.credentials(visitor)).url.parameter("code") != nil)
    }

    @Test("The pages name where their forms lead, so that a browser lets them")
    func formTargets() async throws {
        let flow = Flow(methods: [.federated(.init(redirectURI: "app.two://back"))])
        let (visitor, _, landing) = try await Self.visit(flow)
        #expect(landing.url.absoluteString.hasPrefix("app.two://back?code="))
        let page = try await FormVisitor(visitor.server.url).open("/oauth2/logout?client_id=swift-demo")
        #expect(page.title == "Signed out")
        let (_, _, choice) = try await Self.visit(Flow(methods: [.password] + flow.methods))
        let policy = choice.header("Content-Security-Policy") ?? ""
        #expect(policy.hasSuffix("form-action 'self' app.two: com.example.app:"), "\(policy)")
    }

    @Test("A page that is loaded again shows the same step; an old one goes on with the current step")
    func reload() async throws {
        let (visitor, person, page) = try await Self.visit(Flow(steps: [.oneTimeCode(.email)]))
        #expect(try await person.open(page.url).value("challengeToken") == page.value("challengeToken"))
        #expect(try await person.submit(page, Self.credentials(visitor)).title == "One More Step")
        let old = try await person.submit(page, Self.credentials(visitor))
        #expect(old.title == "One More Step" && old.alert == "That page was old. Continue here.")
        let done = try await person.submit(old, ["input.otp": try visitor.lastMessage().secret.reveal()])
        #expect(done.url.parameter("code") != nil)
        let over = try await person.submit(page)
        #expect(over.status == 400 && over.alert?.contains("over") == true)
    }

    @Test("Another browser cannot go on with what this one began, nor can an execution of an app")
    func otherBrowser() async throws {
        let (visitor, _, page) = try await Self.visit()
        let stranger = FormVisitor(visitor.server.url)
        #expect(try await stranger.open(page.url).alert?.contains("another browser") == true)
        let sent = try await stranger.submit(page, Self.credentials(visitor))
        #expect(sent.alert?.contains("another browser") == true)
        let native = try await visitor.startSignIn()["executionId"]?.stringValue ?? ""
        #expect(try await stranger.open("/gate/signin?executionId=\(native)").status == 400)
    }

    @Test("A code is asked for with what a phone needs, refused when wrong, and sent again")
    func oneTimeCode() async throws {
        let (visitor, person, page) = try await Self.visit(Flow(methods: [.oneTimeCode(.sms)]))
        let code = try await person.submit(page, ["input.username": "ada"])
        #expect(code.html.contains("autocomplete=\"one-time-code\"") && code.html.contains("inputmode=\"numeric\""))
        let wrong = try await person.submit(code, ["input.otp": "000000"])
        #expect(wrong.alert == "The code is wrong or too old." && wrong.value("input.otp") == "")
        let resent = try await person.submit(wrong, pressing: "action_resend_otp")
        #expect(visitor.server.messages.count == 2)
        let done = try await person.submit(resent, ["input.otp": try visitor.lastMessage().secret.reveal()])
        #expect(done.url.parameter("code") != nil)
    }

    @Test("Consent says what is needed and what is not, and a refusal is told to the application")
    func consent() async throws {
        let (visitor, person, page) = try await Self.visit(Flow(steps: [.consent()]))
        let question = try await person.submit(page, Self.credentials(visitor))
        #expect(question.html.contains("Given name"))
        let denied = try await person.submit(question, pressing: "consent_action_deny")
        #expect(denied.url.parameter("error") == "access_denied")
        #expect(denied.url.absoluteString.hasPrefix(visitor.server.application.redirectURIs[0] + "?"))
    }

    @Test("What is ticked is what the application learns")
    func allowedConsent() async throws {
        let (visitor, person, page) = try await Self.visit(Flow(steps: [.consent()]))
        let question = try await person.submit(page, Self.credentials(visitor))
        let allowed = try await person.submit(question, pressing: "consent_action_allow", ticking: ["given_name"])
        let tokens = try await visitor.redeem(allowed.url.parameter("code") ?? "")
        let known = try claims(of: tokens["id_token"])
        #expect(known["given_name"] == "Ada" && known["email"] == "ada@example.org")
        #expect(known["family_name"] == nil)
    }

    @Test("A new user signs up on the way, and is signed in afterwards")
    func signUp() async throws {
        let (visitor, person, page) = try await Self.visit()
        let signUp = try await person.submit(page, form: 2)
        #expect(signUp.title == "Sign Up" && signUp.html.contains("autocomplete=\"new-password\""))
        let more = try await person.submit(signUp, ["input.username": "grace", "input.password": "Nanosecond-1"])
        #expect(more.fields.contains("input.email"))
        let done = try await person.submit(more, ["input.email": "grace@example.org"])
        #expect(try await visitor.redeem(done.url.parameter("code") ?? "").status == 200)
    }

    @Test("A forgotten password is set anew by the link in the message, in whatever browser it is opened")
    func recovery() async throws {
        let (visitor, person, page) = try await Self.visit()
        let recovery = try await person.submit(page, form: 1)
        #expect(recovery.title == "Password Recovery")
        let sent = try await person.submit(recovery, ["input.username": "ada"])
        #expect(sent.title == "Check Your Email")
        let waiting = try await person.submit(sent)
        #expect(waiting.fields == ["leave"] && waiting.html.contains("Open the link"))
        let elsewhere = FormVisitor(visitor.server.url)
        let link = try #require(try visitor.lastMessage().link)
        let new = try await elsewhere.open(link)
        #expect(new.title == "New Password")
        // The browser that requested the link need not be the one that opens it.
        #expect(try await person.open(page.url).alert?.contains("another browser") == true)
        let shown = try await elsewhere.submit(new, ["input.password": "Enchantress-2"])
        #expect(shown.title == "Password Reset Successful")
        let next = FormVisitor(visitor.server.url)
        let login = try await next.open(visitor.authorizationURL())
        let done = try await next.submit(login, ["input.username": "ada", "input.password": "Enchantress-2"])
        #expect(done.url.parameter("code") != nil)
    }

    @Test("A magic link signs in, and goes back to the application that waited")
    func magicLink() async throws {
        let (visitor, person, page) = try await Self.visit(Flow(methods: [.magicLink]))
        _ = try await person.submit(page, ["input.username": "ada"])
        let link = try #require(try visitor.lastMessage().link)
        let done = try await FormVisitor(visitor.server.url).open(link)
        #expect(done.url.parameter("code") != nil && done.url.parameter("state") == "st-1")
    }

    @Test("Another provider leads away and back; who was refused there is told")
    func federation() async throws {
        let connection = LocalThunderIDServer.Connection(redirectURI: "/gate/signin")
        let (_, person, page) = try await Self.visit(Flow(methods: [.password, .federated(connection)]))
        #expect(page.title == "How would you like to sign in?")
        let done = try await person.submit(page, pressing: "action_upstream")
        #expect(done.url.parameter("code") != nil)
        var refusing = connection
        refusing.answer = .refuses(error: "access_denied")
        let (_, _, refused) = try await Self.visit(Flow(methods: [.federated(refusing)]))
        #expect(refused.status == 400 && refused.alert?.contains("Upstream did not sign you in") == true)
    }

    @Test("A passkey needs a script, and the page says so")
    func passkey() async throws {
        let (_, _, page) = try await Self.visit(Flow(methods: [.usernamelessPasskey]))
        #expect(page.html.contains("passkey needs a script") && page.fields == ["leave"])
    }

    @Test("Every kind of input has a field")
    func everyInput() async throws {
        let (visitor, person, page) = try await Self.visit(Flow(steps: [.form(.everyKindOfInput)]))
        let form = try await person.submit(page, Self.credentials(visitor))
        for type in ["email", "password", "tel", "number", "date", "checkbox"] {
            #expect(form.html.contains("type=\"\(type)\""), Comment(rawValue: type))
        }
        #expect(form.html.contains("Nice to see you") && !form.html.contains("hidden\" name=\"input.hidden"))
        var values = Dictionary(
            uniqueKeysWithValues: form.fields.filter { $0.hasPrefix("input.") }.map { ($0, "1") })
        values["input.colour"] = "green"
        #expect(try await person.submit(form, values, pressing: "action_save").url.parameter("code") != nil)
    }

    @Test("What is wrong with an input is said, and what was typed stays")
    func refusedInput() async throws {
        let (visitor, person, page) = try await Self.visit(Flow(steps: [.form(.validated)]))
        let form = try await person.submit(page, Self.credentials(visitor))
        let wrong = try await person.submit(form, ["input.postcode": "x", "input.nickname": "ok"])
        #expect(wrong.alert == "Postcode: Five digits, please. Nickname: This is too short.", "\(wrong.alert ?? "")")
        #expect(wrong.value("input.postcode") == "x")
        let done = try await person.submit(wrong, ["input.postcode": "12345", "input.nickname": "countess"])
        #expect(done.url.parameter("code") != nil)
    }

    @Test("A session signs in without a question; a sign-out asks, and leads back")
    func session() async throws {
        let (visitor, person, page) = try await Self.visit(
            Flow(keepsSession: true), { $0.signOutConfirmation = .always })
        #expect(page.alert == nil)
        _ = try await person.submit(page, Self.credentials(visitor))
        #expect(try await person.open(visitor.authorizationURL()).url.parameter("code") != nil)
        let question = try await person.open(
            "/oauth2/logout?client_id=swift-demo&post_logout_redirect_uri=com.example.app%3A%2F%2Fsigned-out&state=s"
        )
        #expect(question.title == "Leaving?")
        #expect(try await person.submit(question).url.absoluteString == "com.example.app://signed-out?state=s")
        #expect(visitor.server.sessionCount == 0)
    }

    @Test("Without hosted pages their addresses lead to nothing, as beside a real server's program")
    func withoutGate() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let page = try await visitor.get("/gate/signin")
        let step = try await visitor.post("/gate/step", form: [])
        #expect(page.status == 404 && step.status == 404)
    }
}
