import Foundation
import Testing

@testable import IdentityKit

/// How a configuration names a replay policy.
@Suite struct ReplaySettingTests {
    private func policy(_ value: JSONValue) throws -> ReplayPolicy {
        try SettingsDecoder.decode(ReplayPolicy.self, from: value, at: "replay")
    }

    @Test(
        "Each policy has one spelling",
        arguments: [
            ("never", .never), ("always", .always), ("parentAlways", .parentAlways),
            ("signInInstead", .signInInstead), (["window": 30], .window(.seconds(30))),
            (["window": 1.5], .window(.milliseconds(1500))), (["window": 86400], .window(.seconds(86_400))),
        ] as [(JSONValue, ReplayPolicy)])
    func spelling(value: JSONValue, expected: ReplayPolicy) throws {
        #expect(try policy(value) == expected)
    }

    @Test(
        "Everything else is refused, and the error says where and what is accepted",
        arguments: [
            ("window", "replay", "never, always, parentAlways, signInInstead"), ("Never", "replay", "\"window\": 30"),
            (30, "replay", "\"window\": 30"), (["never"], "replay", "\"window\": 30"),
            ([:], "replay.window", ""), (["window": 0], "replay.window", "from 1 to 86400"),
            (["window": 86401], "replay.window", "from 1 to 86400"), (["window": "30"], "replay.window", "a number"),
            (["window": 30, "never": true], "replay.never", ""),
        ] as [(JSONValue, String, String)])
    func mistake(value: JSONValue, keyPath: String, advice: String) {
        let error = #expect(throws: ConfigurationError.self) { try policy(value) }
        #expect(error?.message.hasPrefix(keyPath) == true, "\(error?.message ?? "")")
        #expect(advice.isEmpty || error?.message.contains(advice) == true, "\(error?.message ?? "")")
    }

    @Test("The schema has every spelling")
    func schema() {
        let alternatives = SchemaTracer.schema(of: ReplayPolicy.self)["anyOf"]?.arrayValue
        #expect(alternatives?.first?["enum"] == ["never", "always", "parentAlways", "signInInstead"])
        #expect(alternatives?.last?["properties"]?["window"]?["maximum"] == .number(86_400))
    }
}
