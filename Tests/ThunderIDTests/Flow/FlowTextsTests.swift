import Foundation
import IdentityKit
import Testing

@testable import ThunderID

@Suite struct FlowTextsTests {
    private let texts = FlowTexts(document: [
        "application": ["name": "Demo", "logoUrl": "avatar:x"],
        "i18n": [
            "language": "de-DE", "languages": ["de-DE", "en-US"],
            "translations": [
                "signin": ["title": "Anmelden", "field.name": "Name"],
                "system": [
                    "flows.executor.errors.invalid_credentials": "Name oder Passwort ist falsch.",
                    "flows.executor.errors.invalid_otp": "Der Code ist falsch.",
                    "flows.executor.errors.attribute_not_unique": "{{param(attribute)}} gibt es schon.",
                ],
            ],
        ],
    ])

    @Test(
        "Templates become texts; what is not known is nothing to show",
        arguments: [
            ("{{ t(signin:title) }}", "Anmelden"), ("{{t(signin:title)}}", "Anmelden"), ("Plain", "Plain"),
            ("{{ t(signin:field.name) }}: {{ meta(application.name) }}", "Name: Demo"),
            ("{{ meta(application.logoUrl) }}", "avatar:x"), ("{{ t(signin:unknown) }}", nil),
            ("{{ t(unknown:title) }}", nil), ("{{ meta(application.nothing.below) }}", nil), ("", nil),
            ("{{ t( ) }}", nil), ("{{ other(x) }}", "{{ other(x) }}"),
        ] as [(String, String?)])
    func templates(template: String, text: String?) {
        #expect(texts.resolve(template) == text)
    }

    @Test("An error is in the language of the texts, with its parameters; unknown users like wrong passwords")
    func errors() throws {
        func message(_ code: String, _ key: String, _ params: JSONValue = [:]) throws -> String {
            let json: JSONValue = [
                "code": .string(code), "message": ["key": .string(key), "defaultValue": "x", "params": params],
            ]
            return try JSONDecoder().decode(APIError.self, from: JSONEncoder().encode(json)).iamError(in: texts).message
        }
        #expect(try message("FET-1008", "flows.executor.errors.invalid_otp") == "Der Code ist falsch.")
        let taken = try message("FET-1061", "flows.executor.errors.attribute_not_unique", ["attribute": "email"])
        #expect(taken == "email gibt es schon.")
        let wrong = try message("FET-1005", "flows.executor.errors.invalid_credentials")
        #expect(try message("FET-1001", "flows.executor.errors.user_not_found") == wrong)
        #expect(wrong == "Name oder Passwort ist falsch.")
        #expect(try message("FET-1009", "unknown.key") == "Too many codes were asked for. Start again later.")
        let english = FlowTexts(document: [
            "i18n": [
                "language": "en-US", "translations": ["system": ["flows.executor.errors.invalid_otp": "Invalid OTP"]],
            ]
        ])
        let json: JSONValue = ["code": "FET-1008", "message": ["key": "flows.executor.errors.invalid_otp"]]
        let error = try JSONDecoder().decode(APIError.self, from: JSONEncoder().encode(json))
        #expect(error.iamError(in: english).message == "The code is wrong or has expired.")
    }

    @Test("The response's facts are there, and absent ones are absent")
    func facts() {
        #expect(texts.language == "de-DE" && texts.languages == ["de-DE", "en-US"])
        #expect(texts.isRegistrationFlowEnabled == nil && texts.isRecoveryFlowEnabled == nil)
        #expect(FlowTexts(document: ["isRegistrationFlowEnabled": false]).isRegistrationFlowEnabled == false)
    }

    @Test("A layout names inputs by identifier and actions by ref, however deep, also when it is a text")
    func layout() throws {
        let meta: JSONValue = [
            "components": [
                ["type": "TEXT", "variant": "HEADING_1", "label": "{{ t(signin:title) }}"],
                ["type": "something new", "components": "not a list"],
                [
                    "type": "BLOCK",
                    "components": [
                        [
                            "type": "TEXT_INPUT", "id": "input_1", "ref": "username",
                            "label": "{{ t(signin:field.name) }}",
                        ],
                        ["type": "ACTION", "id": "go", "label": "{{ t(signin:title) }}"],
                        [
                            "type": "RICH_TEXT", "action": ["ref": "link"],
                            "label": "<p><a data-action-ref=\"link\">Weiter</a></p>",
                        ],
                    ],
                ],
            ]
        ]
        let text = String(decoding: try JSONEncoder().encode(meta), as: UTF8.self)
        for meta in [meta, .string(text)] {
            let layout = FlowLayout(meta, texts: texts)
            #expect(layout.label(ofInput: "username") == "Name" && layout.label(ofInput: "input_1") == nil)
            #expect(layout.label(ofAction: "go") == "Anmelden" && layout.label(ofAction: "link") == "Weiter")
            #expect(layout.headings == ["Anmelden"])
        }
        for meta: JSONValue? in [nil, "not json", [], ["components": 1], ["components": [1, "x", nil]]] {
            #expect(FlowLayout(meta, texts: texts).headings.isEmpty)
        }
    }

    @Test("A layout without end is cut short")
    func deep() {
        var meta: JSONValue = ["type": "BLOCK"]
        for _ in 0..<500 { meta = ["type": "BLOCK", "components": [meta]] }
        #expect(FlowLayout(["components": [meta]], texts: texts).headings.isEmpty)
    }
}
