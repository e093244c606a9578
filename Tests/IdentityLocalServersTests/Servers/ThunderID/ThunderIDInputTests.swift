import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID flow inputs", .stopsServers)
struct ThunderIDInputTests {
    typealias Form = LocalThunderIDServer.Form

    @Test("Values that break rules are answered with field errors, and only they are asked for anew")
    func fieldErrors() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.form(.validated)]))
        let form = try await visitor.passPassword(verbose: true)
        #expect(form.identifiers == ["postcode", "nickname", "mobile_number"])
        #expect(
            form.input("postcode")?["validation"]
                == [["type": "regex", "value": "^[0-9]{5}$", "message": "Five digits, please."]])
        let wrong = try await visitor.resume(form, inputs: ["postcode": "1234", "nickname": "A1"])
        #expect(wrong.flowStatus == "INCOMPLETE")
        #expect(wrong["error"] == nil, "what is wrong with a value is no failure of the step")
        #expect(
            wrong["data"]?["fieldErrors"] == [
                ["identifier": "postcode", "message": "Five digits, please."],
                ["identifier": "nickname", "message": "validation.minLength.invalid"],
                ["identifier": "nickname", "message": "validation.pattern.invalid"],
            ])
        #expect(wrong.actions == ["action_form"])
        #expect(wrong.identifiers == ["postcode", "nickname", "mobile_number"])
        #expect(wrong.componentIDs.contains("input_postcode"))

        let half = try await visitor.resume(wrong, inputs: ["postcode": "12345", "nickname": "far-too-long"])
        #expect(half["data"]?["fieldErrors"]?.arrayValue?.count == 2)
        let done = try await visitor.resume(half, inputs: ["nickname": "grace"])
        #expect(done.flowStatus == "COMPLETE", "the value that was right is still known")
    }

    @Test("An optional input is asked for once, and what was entered is in the record")
    func optionalInput() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.form(.validated)]))
        let form = try await visitor.passPassword()
        #expect(form.input("mobile_number")?["required"] == false)
        let inputs = ["postcode": "12345", "nickname": "grace"]
        #expect(try await visitor.resume(form, inputs: inputs).flowStatus == "COMPLETE")

        let again = try await visitor.passPassword()
        let done = try await visitor.resume(again, inputs: inputs.merging(["mobile_number": "+15550100"]) { $1 })
        let record = try await visitor.get("/users/me", bearer: done["assertion"]?.stringValue)
        #expect(record["attributes"]?["mobile_number"] == "+15550100")
    }

    @Test("Values sent with the first call count for optional inputs of a later prompt too")
    func presetOptional() async throws {
        let form = Form(inputs: [.init(ref: "input_name", identifier: "name", isRequired: false)])
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.form(form)]))
        let asked = try await visitor.passPassword()
        #expect(asked.identifiers == ["name"])
        #expect(try await visitor.resume(asked).flowStatus == "COMPLETE", "asked once is enough")
    }

    @Test("Every input type appears as it was written, also an unknown one, one without a type and one without a ref")
    func everyType() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.form(.everyKindOfInput)]))
        let form = try await visitor.passPassword(verbose: true)
        #expect(form.input("retina_scan")?["type"] == "RETINA_SCAN")
        #expect(form.input("untyped")?["type"] == "")
        #expect(form.input("colour")?["options"] == ["red", "green", "blue"])
        #expect(form.input("colour")?["ref"] == nil)
        #expect(form.input("ouId")?["type"] == "OU_SELECT")
        #expect(form.actions == ["action_save", "action_save_later"])
        let components = form["data"]?["meta"]?["components"]?.arrayValue ?? []
        #expect(components.map { $0["type"] }.prefix(3) == ["HOLOGRAM", "CAROUSEL", nil])
        #expect(form.componentIDs.contains("colour"), "an input without a ref is described under its identifier")

        let values = form.identifiers.reduce(into: [:]) { $0[$1] = "x" }
        let unchosen = try await visitor.resume(form, inputs: values)
        #expect(unchosen["data"]?["inputs"] == nil)
        #expect(unchosen.actions.count == 2, "of several actions none is chosen for the person")
        #expect(try await visitor.resume(unchosen, action: "action_save_later").flowStatus == "COMPLETE")
    }

    @Test("A description may be text that holds JSON")
    func textualDescription() async throws {
        let form = Form(inputs: [.init(ref: "input_name", identifier: "name")], isDescribedAsText: true)
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.form(form)]))
        let text = try #require(try await visitor.passPassword(verbose: true)["data"]?["meta"]?.stringValue)
        let components = try JSONValue(parsing: Data(text.utf8))["components"]
        #expect(components?.arrayValue?.first?["type"] == "BLOCK")
    }
}
