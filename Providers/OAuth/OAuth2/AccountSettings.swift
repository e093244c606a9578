import Foundation
import IdentityOAuth

struct AccountSettings: Decodable {
    private let url: URL?
    private let headers: [String: String]
    private let identifier: String
    private var profile: AccountSource.ProfileMembers

    private enum CodingKeys: String, CodingKey {
        case url, headers, identifier, name, email, emails, username, picture
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try container.decode(String.self, forKey: .identifier)
        profile = AccountSource.ProfileMembers(
            displayName: try container.decodeIfPresent(String.self, forKey: .name),
            email: try container.decodeIfPresent(String.self, forKey: .email),
            username: try container.decodeIfPresent(String.self, forKey: .username),
            picture: try container.decodeIfPresent(String.self, forKey: .picture))
        profile.emails = try container.decodeIfPresent(URL.self, forKey: .emails)
        url = try container.decodeIfPresent(URL.self, forKey: .url)
        headers = try container.decodeIfPresent([String: String].self, forKey: .headers) ?? [:]
    }

    /// What was read, once it is checked.
    /// - Parameters:
    ///   - security: which addresses are acceptable.
    ///   - path: the path of the setting.
    /// - Throws: `DecodingError`.
    func source(_ security: TransportSecurity, at path: [any CodingKey]) throws -> AccountSource {
        func mistake(_ key: CodingKeys, _ description: String) -> DecodingError {
            .dataCorrupted(DecodingError.Context(codingPath: path + [key], debugDescription: description))
        }
        guard !identifier.isEmpty else { throw mistake(.identifier, "It must be the path of a member.") }
        if let emails = profile.emails, !security.allows(emails) {
            throw mistake(.emails, "It must be an absolute https address.")
        }
        guard let url else {
            guard profile.emails == nil else { throw mistake(.emails, "It goes with url. Leave it out, or give both.") }
            return .tokenResponse(identifier: identifier, profile: profile)
        }
        guard security.allows(url) else { throw mistake(.url, "It must be an absolute https address.") }
        do {
            try AccountSource.checkHeaders(headers)
        } catch {
            throw mistake(.headers, "It must have names and values of headers, and none of the token's own.")
        }
        return .request(url, headers: headers, identifier: identifier, profile: profile)
    }
}
