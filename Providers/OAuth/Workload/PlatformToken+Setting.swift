import Foundation
import IdentityKit
import IdentityOAuth

extension PlatformToken {
    /// Reads the setting `token`, the source of the platform's token: a file, a variable or GitHub Actions.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    init(from settings: SettingsReader) throws {
        let path: String? = try settings.readIfPresent(
            "file", means: "The file that the platform keeps the token in.", example: "/run/secrets/token")
        let variable: String? = try settings.readIfPresent(
            "variable", SettingRule { if $0.isEmpty { throw SettingError("It must be the name of a variable.") } },
            means: "The environment variable that holds the token.", example: "EXAMPLE_TOKEN")
        let gitHubActions: PlatformToken? = try settings.objectIfPresent(
            "gitHubActions", means: "The token of a GitHub workflow, which is asked for.",
            example: ["audience": "https://id.example.com"]
        ) { settings in
            .gitHubActions(
                audience: try settings.readIfPresent(
                    "audience", means: "For whom the token is; by default for the server that it is exchanged at.",
                    example: "https://id.example.com"))
        }
        switch (path, variable, gitHubActions) {
        case (let path?, nil, nil):
            guard let file = settings.decoder.absolutePath(of: path) else {
                throw settings.mistake("file", "It must be the path of a file.")
            }
            self = .file(URL(fileURLWithPath: file))
        case (nil, let variable?, nil): self = .variable(variable)
        case (nil, nil, let gitHubActions?): self = gitHubActions
        default: throw settings.mistake(nil, "Give one of file, variable and gitHubActions.")
        }
    }
}
