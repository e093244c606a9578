import Foundation
import IdentityKit
import Testing
import ThunderID

/// Steps as ThunderID's SDK has them: layouts, actions, and responses that are decoded.
@Suite struct FlowModelTests {
    private static let step: JSONValue = [
        "executionId": "f1", "flowStatus": "INCOMPLETE", "type": "VIEW", "challengeToken": "t1",
        "data": [
            "inputs": [["identifier": "username", "type": "TEXT_INPUT", "required": true]],
            "actions": [["ref": "go", "nextNode": "check"]],
            "additionalData": ["message": "Hello", "attempts": 2],
            "meta": [
                "components": [
                    ["id": "h", "type": "TEXT", "variant": "HEADING_1", "label": "Sign in", "align": "center"],
                    [
                        "id": "b", "type": "BLOCK", "category": "BLOCK",
                        "components": [
                            ["ref": "username", "type": "TEXT_INPUT", "label": "Name", "placeholder": "ada"],
                            [
                                "id": "go", "type": "ACTION", "label": "{{ t(signin:go) }}", "variant": "PRIMARY",
                                "eventType": "SUBMIT", "startIcon": "go.svg",
                            ],
                        ],
                    ],
                ]
            ],
        ],
    ]

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ json: JSONValue) throws -> Value {
        try JSONDecoder().decode(type, from: JSONEncoder().encode(json))
    }

    @Test("A response is decoded with its layout")
    func response() throws {
        let response = try Self.decoded(EmbeddedFlowResponse.self, Self.step)
        #expect(response.flowId == "f1" && response.flowStatus == .promptOnly && response.challengeToken == "t1")
        #expect(response.inputs.map(\.name) == ["username"] && response.inputs.first?.label == "Name")
        let action = try #require(response.actions.first)
        #expect(action.id == "go" && action.variant == "PRIMARY" && action.icon == "go.svg" && action.label == nil)
        #expect(response.data?.additionalData?["attempts"]?.value as? Int == 2 && response.message == "Hello")
        let components = try #require(response.data?.meta?.components)
        #expect(components.map(\.type) == ["TEXT", "BLOCK"] && components.first?.align == "center")
        #expect(components.last?.components?.map(\.ref) == ["username", nil])
        #expect(components.last?.components?.first?.placeholder == "ada")
    }

    @Test("The members of a response are decoded by themselves")
    func members() throws {
        let data = try #require(Self.step["data"])
        #expect(try Self.decoded(FlowStepData.self, data).inputs?.first?.required == true)
        let meta = try Self.decoded(FlowMeta.self, #require(data["meta"]))
        let button = try #require(meta.components?.last?.components?.last)
        #expect(button.label == "{{ t(signin:go) }}" && button.eventType == "SUBMIT")
        let action = try Self.decoded(FlowAction.self, ["ref": "go", "nextNode": "check", "label": "Go"])
        #expect(action.id == "go" && action.ref == "go" && action.nextNode == "check")
        let merged = action.merging(component: button)
        #expect(merged.label == "Go" && merged.variant == "PRIMARY" && merged.icon == "go.svg")
        let input = try Self.decoded(FlowInput.self, ["identifier": "email", "type": "EMAIL_INPUT"])
        #expect(input.name == "email" && input.type == "EMAIL_INPUT" && input.required == nil)
        #expect(throws: DecodingError.self) { try Self.decoded(FlowAction.self, ["label": "Go"]) }
        #expect(throws: DecodingError.self) { try Self.decoded(FlowInput.self, ["type": "EMAIL_INPUT"]) }
    }

    @Test("A layout without end is cut")
    func depth() throws {
        var component: JSONValue = ["type": "TEXT"]
        for _ in 0..<40 { component = ["type": "BLOCK", "components": [component]] }
        var found = try Self.decoded(FlowMeta.self, ["components": [component]]).components?.first
        var depth = 0
        while let inner = found?.components?.first { (found, depth) = (inner, depth + 1) }
        #expect(depth == 31)
    }

    @Test("The page where a step continues is a text, and what an app opens is read from it")
    func redirection() throws {
        let page = "https://idp.example/auth?state=s1&redirect_uri=com.example.app%3A%2F%2Fidp"
        let response = try Self.decoded(
            EmbeddedFlowResponse.self,
            [
                "executionId": "f1", "flowStatus": "INCOMPLETE", "type": "REDIRECTION",
                "data": ["redirectURL": .string(page), "additionalData": ["idpName": "Example"]],
            ])
        #expect(response.data?.redirectURL == page)
        #expect(response.redirection?.url.absoluteString == page && response.redirection?.providerName == "Example")
    }

    @Test("A switch over all codes of the SDK is complete")
    func codes() {
        for code in ThunderIDErrorCode.allCases {
            let isOfPasskey =
                switch code {
                case .sdkNotInitialized, .alreadyInitialized, .invalidConfiguration, .invalidRedirectUri,
                    .authenticationFailed, .userAccountLocked, .userAccountDisabled, .sessionExpired, .mfaRequired,
                    .mfaFailed, .invalidGrant, .consentRequired, .userAlreadyExists, .invalidInput,
                    .invitationCodeInvalid, .invitationCodeExpired, .registrationDisabled, .recoveryFailed,
                    .confirmationCodeInvalid, .confirmationCodeExpired:
                    false
                case .passkeyNotSupported, .passkeyCancelled, .passkeyNoCredential, .passkeyFailed: true
                case .networkError, .requestTimeout, .serverError, .unknownError: false
                }
            #expect(isOfPasskey == code.rawValue.hasPrefix("PASSKEY"))
        }
    }
}
