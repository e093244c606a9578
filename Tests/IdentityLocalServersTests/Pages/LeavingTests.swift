import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("ThunderID gate: going back without signing in", .stopsServers)
struct LeavingTests {
    typealias Flow = LocalThunderIDServer.SignInFlow

    private func visit(_ flow: Flow = Flow()) async throws -> (ThunderIDVisitor, FormVisitor, FormVisitor.Page) {
        try await GateTests.visit(flow) { $0.signOutConfirmation = .always }
    }

    private func expectRefusal(_ landing: FormVisitor.Page, _ visitor: ThunderIDVisitor) {
        #expect(landing.url.absoluteString.hasPrefix(visitor.server.application.redirectURIs[0] + "?"))
        #expect(landing.url.parameter("error") == "access_denied")
        #expect(landing.url.parameter("state") == "st-1" && landing.url.parameter("iss") == visitor.server.issuer)
        #expect(landing.header("Cache-Control") == "no-store")
    }

    @Test("Who cancels goes back with access_denied")
    func cancel() async throws {
        let (visitor, person, page) = try await visit()
        #expect(page.html.contains("formnovalidate>Cancel</button>"))
        expectRefusal(try await person.submit(page, pressing: "1"), visitor)
        #expect(visitor.server.report.flows.map(\.state) == [.failed])
        #expect(visitor.server.report.flows.first?.detail == "cancelled")
        let over = try await person.submit(page, GateTests.credentials(visitor))
        #expect(over.url.parameter("error") == "access_denied", "the same form again")
        let execution = page.forms[0].fields.first { $0.name == "executionId" }?.value ?? ""
        #expect(try await visitor.flow(["executionId": .string(execution)]).status == 400, "it cannot continue")
    }

    @Test("Who cancels at the second step, too")
    func cancelLater() async throws {
        let (visitor, person, page) = try await visit(Flow(steps: [.oneTimeCode(.email)]))
        let code = try await person.submit(page, GateTests.credentials(visitor))
        expectRefusal(try await person.submit(code, pressing: "1"), visitor)
    }

    @Test("Who refused the consent, too; the page they left is over")
    func refusal() async throws {
        let (visitor, person, page) = try await visit(Flow(steps: [.consent()]))
        let question = try await person.submit(page, GateTests.credentials(visitor))
        let landing = try await person.submit(question, pressing: "consent_action_deny")
        #expect(landing.url.parameter("error") == "access_denied")
        let left = try await person.open(page.url)
        #expect(left.status == 400 && left.alert?.contains("over") == true)
    }

    @Test("Only the browser that began can cancel, from its own page, and with the latest page")
    func strangers() async throws {
        let (visitor, person, page) = try await visit(Flow(steps: [.oneTimeCode(.email)]))
        let stranger = try await FormVisitor(visitor.server.url).submit(page, pressing: "1")
        #expect(stranger.status == 400)
        let code = try await person.submit(page, GateTests.credentials(visitor))
        #expect(try await person.submit(page, pressing: "1").alert == "That page was old. Continue here.")
        #expect(code.title == "One More Step")
    }

    @Test("A page without a waiting application has no way back")
    func nobodyWaits() async throws {
        let (_, person, _) = try await visit()
        let question = try await person.open("/oauth2/logout?client_id=swift-demo")
        #expect(question.title == "Leaving?" && !question.html.contains(">Cancel<"))
        let fields = question.forms[0].fields.filter { $0.type == "hidden" }.map { ($0.name, $0.value) }
        let forged = try await person.post("/gate/step", fields + [(name: "leave", value: "1")])
        #expect(forged.status == 400 && forged.alert?.contains("over") == true)
        #expect(try await person.submit(question).title == "Signed out", "that did not end it")
    }

    @Test("Who was refused at another provider, or has no script for a passkey, can go back all the same")
    func deadEnds() async throws {
        var connection = LocalThunderIDServer.Connection(redirectURI: "/gate/signin")
        connection.answer = .refuses(error: "access_denied")
        for flow in [Flow(methods: [.federated(connection)]), Flow(methods: [.usernamelessPasskey])] {
            let (visitor, person, page) = try await visit(flow)
            #expect(page.html.contains(">Back to the application</button>"))
            #expect(page.header("Content-Security-Policy")?.contains("com.example.app:") == true)
            expectRefusal(try await person.submit(page), visitor)
        }
    }

    @Test("The page names the application that asked, whatever the address says")
    func applicationName() async throws {
        let configuration = LocalThunderIDServer.Configuration {
            $0.servesGate = true
            $0.application.name = "Honest Notes"
            var bank = LocalThunderIDServer.Application(id: "bank", clientID: "bank", name: "Your Bank")
            bank.redirectURIs = ["com.example.bank://callback"]
            $0.additionalApplications = [bank]
        }
        let visitor = try await ThunderIDVisitor.start(configuration)
        let gate = try #require(try await visitor.authorize().location)
        var parts = try #require(URLComponents(url: gate, resolvingAgainstBaseURL: false))
        parts.queryItems = parts.queryItems?.map {
            $0.name == "applicationId" ? URLQueryItem(name: $0.name, value: "bank") : $0
        }
        let page = try await FormVisitor(visitor.server.url).open(try #require(parts.url))
        #expect(page.html.contains("for <strong>Honest Notes</strong>") && !page.html.contains("Your Bank"))
    }
}
