import Foundation
import IdentityKit
import IdentityOAuth
import IdentityPresets
import Testing

/// What presets say of a refresh token that comes twice.
@Suite struct PresetReplayTests {
    private static let policies: [String: ReplayPolicy] = [
        "apple": .always, "dropbox": .always, "entra": .always, "entra-multitenant": .always, "google": .always,
        "cognito": .window(.seconds(60)), "okta": .window(.seconds(30)), "supabase": .window(.seconds(10)),
    ]

    @Test(
        "The policy reaches the server; a vendor of which nothing is known has the careful one",
        arguments: Presets.types)
    func policy(type: String) throws {
        let chain = try Presets.chain(type, Presets.needed(by: Presets.preset(type)))
        let provider = try #require(chain.links.first?.provider as? OAuthSessionProvider)
        #expect(provider.server.replay == Self.policies[type] ?? .never)
    }

    @Test("A configuration that knows better has the last word")
    func overridden() throws {
        for (value, expected) in [("never", .never), (["window": 5], .window(.seconds(5)))]
            as [(JSONValue, ReplayPolicy)]
        {
            let needed = try Presets.needed(by: Presets.preset("okta"))
            let chain = try Presets.chain("okta", needed.merging(["replay": value]) { $1 })
            #expect((chain.links.first?.provider as? OAuthSessionProvider)?.server.replay == expected)
        }
    }

    @Test(
        "Every policy, and every word for a dead token, has the vendor's document, and every document a setting",
        arguments: Presets.types)
    func sources(type: String) throws {
        let preset = try Presets.preset(type)
        #expect((preset.settings["replay"] != nil) == (preset.sources["replay"] != nil))
        let hasWords = preset.settings["tokenResponse"]?["finalRefusals"] != nil
        #expect(hasWords == (preset.sources["tokenResponse"] != nil))
        for (setting, source) in preset.sources {
            #expect(preset.settings[setting] != nil && source.scheme == "https")
        }
    }
}
