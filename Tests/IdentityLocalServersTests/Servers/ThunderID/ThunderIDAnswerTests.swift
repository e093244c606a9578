import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID answers of a flow, and the record of its user", .stopsServers)
struct ThunderIDAnswerTests {
    private static let members: Set = [
        "executionId", "flowStatus", "type", "challengeToken", "data", "assertion", "errorAssertion", "error",
    ]
    private static let empty: [JSONValue] = [.null, "", [], [:]]
    private static let dataMembers: Set = ["inputs", "actions", "meta", "redirectURL", "additionalData", "fieldErrors"]

    @Test("Every answer has data, and no member that is empty or unheard of")
    func members() async throws {
        let flow = LocalThunderIDServer.SignInFlow(
            methods: [.password, .federated(.init())], steps: [.oneTimeCode(.sms), .form(.validated), .notice("Hello")])
        let visitor = try await ThunderIDVisitor.start(signIn: flow)
        var answers = [try await visitor.startSignIn(verbose: true)]
        answers.append(try await visitor.resume(answers[0], action: "action_upstream"))
        answers.append(try await visitor.resume(try await visitor.startSignIn(), action: "nonsense"))
        answers.append(try await visitor.resume(try await visitor.startSignIn(), action: "action_password"))
        answers.append(
            try await visitor.resume(
                answers[3], action: "action_001", inputs: ["username": "ada", "password": "wrong"]))
        answers.append(
            try await visitor.resume(answers[4], ["action": "action_001", "inputs": visitor.credentials]))
        let code = try visitor.lastMessage().secret.reveal()
        answers.append(try await visitor.resume(answers[5], action: "action_verify_otp", inputs: ["otp": code]))
        answers.append(try await visitor.resume(answers[6], inputs: ["postcode": "x", "nickname": "y"]))
        answers.append(try await visitor.resume(answers[7], inputs: ["postcode": "12345", "nickname": "ada"]))
        answers.append(try await visitor.resume(answers[8]))
        #expect(answers.map(\.flowStatus).filter { $0 == "ERROR" }.count == 1)
        #expect(answers.last?.flowStatus == "COMPLETE")

        for answer in answers {
            let body = try #require(answer.json.objectValue)
            #expect(Self.members.isSuperset(of: body.keys))
            let data = try #require(body["data"]?.objectValue)
            #expect(Self.dataMembers.isSuperset(of: data.keys))
            for value in Array(body.values) + Array(data.values) where value != body["data"] {
                #expect(!Self.empty.contains(value))
            }
            let isIncomplete = answer.flowStatus == "INCOMPLETE"
            #expect((body["type"] != nil) == isIncomplete)
            #expect((body["challengeToken"] != nil) == isIncomplete)
        }
    }

    @Test("What was asked for at the start decides about descriptions, and no later call")
    func verboseStaysVerbose() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let verbose = try await visitor.startSignIn(verbose: true)
        #expect(try await visitor.resume(verbose, ["verbose": false])["data"]?["meta"] != nil)
        let terse = try await visitor.startSignIn()
        #expect(try await visitor.resume(terse, ["verbose": true])["data"]?["meta"] == nil)
    }

    @Test("The assertion of an authorization request names it, and refers to attributes instead of holding them")
    func redirectAssertion() async throws {
        let application = LocalThunderIDServer.Application(assertionAttributes: ["email"])
        let visitor = try await ThunderIDVisitor.start(.init(application: application))
        let page = try #require(try await visitor.authorize().location)
        let done = try await visitor.passPassword(at: page)
        let assertion = try claims(of: done["assertion"])
        #expect(assertion["authorization_request_id"]?.stringValue == page.parameter("authId"))
        #expect(assertion["aci"] != nil)
        #expect(assertion["email"] == nil)
        #expect(try claims(of: .string(try await visitor.nativeAssertion()))["email"] == "ada@example.org")
    }

    @Test("The own record is read, replaced as a whole, and described by its schema")
    func ownRecord() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let bearer = try await visitor.nativeAssertion()
        let headers = ["Authorization": "Bearer \(bearer)"]
        #expect(try await visitor.get("/users/me").status == 401)
        let record = try await visitor.get("/users/me", bearer: bearer)
        #expect(record["attributes"]?["given_name"] == "Ada")
        #expect(record["isReadOnly"] == false)

        let attributes: JSONValue = ["username": "ada", "email": "countess@example.org"]
        let replaced = try await visitor.post(
            "/users/me", json: ["attributes": attributes], headers: headers, method: "PUT")
        #expect(replaced.status == 200)
        #expect(replaced["attributes"] == attributes, "what was not sent is gone")
        #expect(try await visitor.get("/users/me", bearer: bearer)["attributes"] == attributes)
        for method in ["PATCH", "POST", "DELETE"] {
            #expect(try await visitor.post("/users/me", json: [:], headers: headers, method: method).status == 405)
        }

        let schema = try await visitor.get("/users/me/meta", bearer: bearer)["schema"]
        #expect(schema?["email"]?["required"] == true)
        #expect(schema?["email"]?["unique"] == true)
        #expect(schema?["given_name"]?["required"] == false)
    }
}
