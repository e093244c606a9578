import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID consent", .stopsServers)
struct ThunderIDConsentTests {
    private let application = LocalThunderIDServer.Application(assertionAttributes: ["email", "given_name"])

    @Test("What was kept back is not in the assertion")
    func partialConsent() async throws {
        let visitor = try await start(.init())
        let prompt = try await visitor.passPassword(verbose: true)
        #expect(prompt.input("consent_decisions")?["type"] == "CONSENT_INPUT")
        #expect(prompt.actions == ["consent_action_allow", "consent_action_deny"])
        #expect(prompt.additional("stepTimeout") == nil)
        let purposes = try JSONValue(parsing: Data(try #require(prompt.additional("consentPrompt")).utf8))
        #expect(purposes.arrayValue?.first?["type"] == "attributes")
        #expect(purposes.arrayValue?.first?["essential"] == [["name": "email"]])
        let done = try await visitor.resume(
            prompt, action: "consent_action_allow",
            inputs: ["consent_decisions": try decisions(on: prompt, approving: ["email"])])
        let assertion = try claims(of: done["assertion"])
        #expect(assertion["email"] == "ada@example.org")
        #expect(assertion["given_name"] == nil)
    }

    @Test("Who consented is not asked again, except on demand")
    func remembered() async throws {
        let visitor = try await start(.init())
        let prompt = try await visitor.passPassword()
        _ = try await visitor.resume(
            prompt, action: "consent_action_allow",
            inputs: ["consent_decisions": try decisions(on: prompt, approving: ["email", "given_name"])])
        let again = try await visitor.passPassword()
        #expect(again.flowStatus == "COMPLETE")
        #expect(try claims(of: again["assertion"])["given_name"] == "Ada")
        let page = try #require(try await visitor.authorize(["prompt": "consent"]).location)
        #expect(try await visitor.passPassword(at: page).identifiers == ["consent_decisions"])
    }

    @Test(
        "Without what the application needs the flow fails, by the action or by the decision", arguments: [false, true])
    func denial(approves: Bool) async throws {
        let visitor = try await start(.init())
        let prompt = try await visitor.passPassword()
        let denied = try await visitor.resume(
            prompt, action: approves ? "consent_action_allow" : "consent_action_deny",
            inputs: [
                "consent_decisions": try decisions(on: prompt, approving: ["given_name"], isApproved: approves)
            ])
        #expect(denied.flowStatus == "ERROR" && denied.errorCode == "FET-1066")
    }

    @Test("A decision can come too late, or be none")
    func timeout() async throws {
        let visitor = try await start(.init(timeout: .seconds(60)))
        let prompt = try await visitor.passPassword()
        let deadline = try #require(prompt.additional("stepTimeout").flatMap(Double.init))
        #expect(deadline == (visitor.clock.now.timeIntervalSince1970 + 60) * 1000)
        visitor.clock.advance(by: .seconds(61))
        let late = try await visitor.resume(
            prompt, action: "consent_action_allow",
            inputs: ["consent_decisions": try decisions(on: prompt, approving: ["email"])])
        #expect(late.errorCode == "FET-1069")
        let unreadable = try await visitor.resume(
            try await visitor.passPassword(), action: "consent_action_allow",
            inputs: ["consent_decisions": "yes"])
        #expect(unreadable.errorCode == "FET-1068")
    }

    private func start(_ consent: LocalThunderIDServer.SignInFlow.Consent) async throws -> ThunderIDVisitor {
        try await ThunderIDVisitor.start(
            .init {
                $0.application = application
                $0.signIn.steps = [.consent(consent)]
            })
    }

    /// Decisions in the form that the real server takes (Backends/ThunderID.md#steps-that-need-more-than-a-form).
    private func decisions(
        on prompt: ThunderIDVisitor.Answer, approving names: Set<String>, isApproved: Bool = true
    ) throws -> String {
        let purposes = try JSONValue(parsing: Data(try #require(prompt.additional("consentPrompt")).utf8))
        let decided = (purposes.arrayValue ?? []).map { purpose -> JSONValue in
            let elements = (purpose["essential"]?.arrayValue ?? []) + (purpose["optional"]?.arrayValue ?? [])
            return [
                "purposeName": purpose["purposeName"] ?? .null, "approved": .bool(isApproved),
                "elements": .array(
                    elements.map { element in
                        [
                            "name": element["name"] ?? .null,
                            "approved": .bool(names.contains(element["name"]?.stringValue ?? "")),
                        ]
                    }),
            ]
        }
        let body: JSONValue = ["approved": .bool(isApproved), "purposes": .array(decided)]
        return String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
    }
}
