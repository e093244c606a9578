import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("ThunderID flow metadata", .stopsServers)
struct ThunderIDMetadataTests {
    @Test("Every text that a flow refers to is translated")
    func templates() async throws {
        let configuration = LocalThunderIDServer.Configuration {
            $0.signIn = .init(
                methods: [
                    .password, .promptlessPassword, .oneTimeCode(.sms), .oneTimeCode(.email), .magicLink, .passkey,
                    .usernamelessPasskey, .federated(.init()),
                ],
                steps: [
                    .oneTimeCode(.sms), .enrolPasskey, .consent(), .form(.everyKindOfInput), .notice("Read this"),
                ])
            $0.registration = .init(byInvitation: true)
        }
        let nodes = FlowLibrary(configuration).graphs.values.flatMap(\.nodes.values)
        let keys = nodes.flatMap { node -> [String] in
            switch node {
            case .prompt(let prompt): prompt.components.flatMap(Self.keys)
            case .message(_, let components, _): components.flatMap(Self.keys)
            default: []
            }
        }
        #expect(keys.count > 60)
        let visitor = try await ThunderIDVisitor.start()
        let translations = try await visitor.get("/flow/meta")["i18n"]?["translations"]
        for key in Set(keys) {
            let parts = key.split(separator: ":", maxSplits: 1).map(String.init)
            #expect(parts.count == 2 && translations?[parts[0]]?[parts[1]] != nil, "\(key)")
        }
    }

    @Test("The texts of errors are there under their keys")
    func errorTexts() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let system = try await visitor.get("/flow/meta", query: [("namespace", "system")])["i18n"]
        #expect(system?["translations"]?.objectValue?.count == 1)
        let wrong = try await visitor.resume(
            try await visitor.startSignIn(),
            ["action": "action_001", "inputs": ["username": "ada", "password": "x"]])
        let message = try #require(wrong["error"]?["message"])
        let translated = system?["translations"]?["system"]?[message["key"]?.stringValue ?? ""]
        #expect(translated == message["defaultValue"])
    }

    @Test("With an application its own texts and addresses are there, with a unit that one, and with neither none")
    func ownTexts() async throws {
        let application = LocalThunderIDServer.Application().with {
            $0.logoURL = "avatar:shape=rounded"
            $0.url = "https://demo.example.org"
            $0.termsURL = "https://demo.example.org/terms"
            $0.policyURL = "https://demo.example.org/privacy"
        }
        let visitor = try await ThunderIDVisitor.start(.init(application: application))
        let own = try await visitor.get("/flow/meta", query: [("type", "APP"), ("id", application.id)])
        #expect(own["isRegistrationFlowEnabled"] == true)
        #expect(own["application"]?["logoUrl"] == "avatar:shape=rounded")
        #expect(own["application"]?["tosUri"] == "https://demo.example.org/terms")
        #expect(own["application"]?["policyUri"] == "https://demo.example.org/privacy")
        #expect(own["ou"]?["handle"] == "default")
        let unit = try await visitor.get(
            "/flow/meta", query: [("type", "OU"), ("id", "01900000-0000-7000-8000-000000000001")])
        #expect(unit["application"] == nil)
        #expect(unit["ou"]?["handle"] == "default")
        let bare = try await visitor.get("/flow/meta", query: [("language", "de-CH")])
        #expect(bare["application"] == nil)
        #expect(bare["ou"] == nil)
        #expect(bare["i18n"]?["language"] == "de-CH")
        #expect(bare["design"] == ["theme": [:], "layout": [:]])
    }

    /// The keys of the templates in a component and in those within it.
    private static func keys(in component: JSONValue) -> [String] {
        switch component {
        case .string(let text):
            text.components(separatedBy: "{{ t(").dropFirst().compactMap { $0.components(separatedBy: ") }}").first }
        case .array(let items): items.flatMap(keys)
        case .object(let members): members.values.flatMap(keys)
        default: []
        }
    }
}
