import Foundation
import IdentityKit
import TestSupport
import Testing

/// One setting of a provider, read outside its plug-in.
@Suite struct ProviderSettingTests {
    /// The content of the file that a setting names.
    private struct NamedFile: Decodable {
        let content: Data?

        init(from decoder: any Decoder) throws {
            content = decoder.contents(of: try String(from: decoder))
        }
    }

    @Test("A relative path in a setting starts at the folder of the configuration file")
    func relativePath() throws {
        let folder = try TemporaryFolder()
        try Data("authority".utf8).write(to: folder.file("authority.pem"))
        try Data(
            #"{"providers": [{"name": "work", "type": "any", "settings": {"file": "authority.pem", "number": 1}}]}"#
                .utf8
        ).write(to: folder.file("identity.json"))
        let configuration = try IdentityConfiguration(contentsOf: folder.file("identity.json"))
        let provider = try #require(configuration.providers.first)
        let file: NamedFile? = configuration.setting("file", of: provider)
        #expect(file?.content == Data("authority".utf8))
        let mistake: NamedFile? = configuration.setting("number", of: provider)
        let missing: NamedFile? = configuration.setting("other", of: provider)
        #expect(mistake == nil && missing == nil)
    }
}
