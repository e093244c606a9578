import Foundation
import IdentityKit
import Testing

@Suite struct ConfigurationSchemaTests {
    private enum EveryKindPlugin: ProviderPlugin {
        static let type = "every-kind"

        struct Settings: Decodable, Sendable {
            enum Mode: String, Decodable, CaseIterable { case key, page }
            struct Limits: Decodable, Sendable { let requests: Int? }

            let mode: Mode
            let key: String?
            let page: URL?
            let isFast: Bool
            let ratios: [Double]
            let labels: [String: String]?
            let limits: Limits?
            let extra: JSONValue?

            enum CodingKeys: CodingKey { case mode, key, page, isFast, ratios, labels, limits, extra }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                mode = try container.decode(Mode.self, forKey: .mode)
                key = mode == .key ? try container.decode(String.self, forKey: .key) : nil
                page = mode == .page ? try container.decode(URL.self, forKey: .page) : nil
                isFast = try container.decode(Bool.self, forKey: .isFast)
                ratios = try container.decode([Double].self, forKey: .ratios)
                labels = try container.decodeIfPresent([String: String].self, forKey: .labels)
                limits = try container.decodeIfPresent(Limits.self, forKey: .limits)
                extra = try container.decodeIfPresent(JSONValue.self, forKey: .extra)
            }
        }

        static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
            PlainProvider(account: nil)
        }
    }

    @Test("The schema names the bounds of a number that the reader checks")
    func bounds() throws {
        let provider = try #require(ProviderRegistry([EveryKindPlugin.self]).schema["$defs"]?["provider"])
        let deadline = try #require(provider["properties"]?["silentDeadline"])
        #expect(deadline["type"] == "number")
        let (least, greatest) = (deadline["minimum"]?.numberValue, deadline["maximum"]?.numberValue)
        func reads(_ seconds: Double?) throws -> Bool {
            let provider: JSONValue = [
                "name": "a", "type": "b", "settings": [:], "silentDeadline": .number(try #require(seconds)),
            ]
            return (try? JSONDecoder().decode(ProviderConfiguration.self, from: JSONEncoder().encode(provider))) != nil
        }
        #expect(try reads(least) && reads(greatest))
        #expect(try !reads(least.map { $0 - 0.5 }) && !reads(greatest.map { $0 + 0.5 }))
    }

    @Test("Settings of every kind are described, and every branch of an enumeration is followed")
    func kinds() throws {
        let reference: JSONValue = ["type": "string", "pattern": "^\\$\\{.+\\}$"]
        let provider = ProviderRegistry([EveryKindPlugin.self]).schema["$defs"]?["provider"]
        #expect(provider?["properties"]?["type"]?["enum"] == ["every-kind"])
        #expect(
            provider?["allOf"]?.arrayValue?.first?["then"]?["properties"]?["settings"] == [
                "type": "object", "additionalProperties": false, "required": ["isFast", "mode", "ratios"],
                "properties": [
                    "mode": ["type": "string", "enum": ["key", "page"]],
                    "key": ["type": "string"], "page": ["type": "string", "format": "uri"],
                    "isFast": ["anyOf": [["type": "boolean"], reference]],
                    "ratios": ["type": "array", "items": ["anyOf": [["type": "number"], reference]]],
                    "labels": ["type": "object"],
                    "limits": [
                        "type": "object", "additionalProperties": false, "required": [],
                        "properties": ["requests": ["anyOf": [["type": "integer"], reference]]],
                    ],
                    "extra": [:],
                ],
            ])
    }
}
