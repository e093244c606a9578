import Foundation
import IdentityKit
import IdentityOAuth

/// The setting `token`: where the platform puts the program's token.
struct PlatformTokenSettings: Decodable {
    private let path: String?
    private let file: URL?
    private let variable: String?
    private let gitHubActions: GitHubActions?

    private struct GitHubActions: DescribedSettings {
        let audience: String?

        static let descriptions = [
            SettingDescription(
                "audience", "For whom the token is; by default for the server that it is exchanged at.",
                example: "https://id.example.com")
        ]
    }

    private enum CodingKeys: String, CodingKey {
        case file, variable, gitHubActions
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decodeIfPresent(String.self, forKey: .file)
        variable = try container.decodeIfPresent(String.self, forKey: .variable)
        gitHubActions = try container.decodeIfPresent(GitHubActions.self, forKey: .gitHubActions)
        file = path.flatMap(decoder.absolutePath).map { URL(fileURLWithPath: $0) }
    }

    /// What was read, once it is checked.
    /// - Throws: `DecodingError`.
    func token(at path: [any CodingKey]) throws -> PlatformToken {
        func mistake(_ keys: [any CodingKey], _ description: String) -> DecodingError {
            .dataCorrupted(DecodingError.Context(codingPath: path + keys, debugDescription: description))
        }
        switch (self.path, variable, gitHubActions) {
        case (_?, nil, nil):
            guard let file else { throw mistake([CodingKeys.file], "It must be the path of a file.") }
            return .file(file)
        case (nil, let variable?, nil):
            guard !variable.isEmpty else { throw mistake([CodingKeys.variable], "It must be the name of a variable.") }
            return .variable(variable)
        case (nil, nil, let gitHubActions?): return .gitHubActions(audience: gitHubActions.audience)
        default: throw mistake([], "Give one of file, variable and gitHubActions.")
        }
    }
}
