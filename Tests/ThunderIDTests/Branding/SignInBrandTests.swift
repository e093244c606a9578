import Foundation
import IdentityKit
import Testing

@testable import ThunderID

/// Whose button an action of a flow is.
@Suite struct SignInBrandTests {
    @Test(
        "The icon, the reference or the label names it, at the beginning of a word",
        arguments: [
            ("action_google", nil, nil, .google), ("GoogleOIDC", nil, nil, .google),
            ("action_001", "Continue with GitHub", nil, .github), ("signInWithApple", nil, nil, .apple),
            ("action_001", nil, "assets/images/icons/microsoft.svg", .microsoft),
            ("action_001", "Mit Passkey anmelden", nil, .passkey), ("webauthn_start", nil, nil, .passkey),
            ("action_001", "Pineapple", nil, nil), ("action_001", nil, nil, nil), ("", "", "", nil),
        ] as [(String, String?, String?, SignInBrand?)])
    func brands(id: String, label: String?, icon: String?, expected: SignInBrand?) {
        #expect(FlowAction(id: id, label: label, eventType: "TRIGGER", icon: icon).brand == expected)
        #expect(FlowAction(id: id, label: label, eventType: "SUBMIT", icon: icon).brand == nil, "Not a way of its own")
        #expect(FlowAction(id: id, label: label).brand == nil)
    }

    @Test("An icon is loaded from https, or is one of the app's own, by its file's name")
    func icons() {
        func action(_ icon: String?) -> FlowAction { FlowAction(id: "a", eventType: "TRIGGER", icon: icon) }
        #expect(action("https://a.example/google.svg").iconAddress?.absoluteString == "https://a.example/google.svg")
        #expect(action("https://a.example/google.svg").iconName == nil)
        #expect(action("http://a.example/google.svg").iconAddress == nil)
        #expect(action("assets/images/icons/google.svg").iconName == "google")
        #expect(action("google").iconName == "google")
        #expect(action("../../.hidden").iconName == nil)
        #expect(action("/").iconName == nil)
        #expect(action(nil).iconName == nil)
    }

    @Test("A step's layout says what a button does and what is on it")
    func layout() throws {
        let response = try JSONDecoder().decode(
            FlowResponse.self,
            from: Data(
                #"""
                {"executionId": "1", "flowStatus": "INCOMPLETE", "type": "VIEW", "data": {
                "actions": [{"ref": "action_001"}, {"ref": "action_002"}, {"ref": "action_003"}],
                "meta": {"components": [
                {"type": "ACTION", "id": "action_001", "eventType": "SUBMIT", "label": "Go", "startIcon": 7},
                {"type": "ACTION", "id": "action_002", "eventType": "TRIGGER", "label": "Continue with Google", "startIcon": "", "image": "icons/google.svg"}
                ]}}}
                """#.utf8))
        let actions = EmbeddedFlowResponse(response, texts: FlowTexts()).actions
        #expect(actions.map(\.eventType) == ["SUBMIT", "TRIGGER", nil])
        #expect(actions.map(\.icon) == [nil, "icons/google.svg", nil])
        #expect(actions.map(\.brand) == [nil, .google, nil])
    }
}
