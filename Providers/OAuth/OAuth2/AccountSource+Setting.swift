import Foundation
import IdentityKit
import IdentityOAuth

extension AccountSource {
    /// Reads the setting `account`.
    /// - Parameter security: whether addresses may use `http` to this machine.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    init(from settings: SettingsReader, _ security: TransportSecurity) throws {
        let identifier: String = try settings.read(
            "identifier",
            SettingRule { if $0.isEmpty { throw SettingError("It must be the path of a member.") } },
            means: "The path of the member that identifies a person for ever.", example: "id")
        var profile = ProfileMembers(
            displayName: try settings.readIfPresent(
                "name", means: "The path of the person's name.", example: "profile.name"),
            email: try settings.readIfPresent(
                "email", means: "The path of the person's e-mail address.", example: "email"),
            username: try settings.readIfPresent(
                "username", means: "The path of the name that the person signs in with.", example: "login"),
            picture: try settings.readIfPresent(
                "picture",
                means: "The path of the address of the person's picture, or the address with paths in braces.",
                example: "avatar_url"))
        profile.emails = try settings.readIfPresent(
            "emails", .https(security),
            means: "The address that lists e-mail addresses, of which the primary verified one counts without email.",
            example: "https://api.example.com/me/emails")
        let url: URL? = try settings.readIfPresent(
            "url", .https(security),
            means: "The address that says who has the access token; without it the token response does.",
            example: "https://api.example.com/me")
        let headers: [String: String] = try settings.read(
            "headers",
            SettingRule { headers in
                guard (try? AccountSource.checkHeaders(headers)) == nil else { return }
                throw SettingError("It must have names and values of headers, and none of the token's own.")
            }, means: "The headers of the request for it.", example: ["Accept": "application/json"], default: [:])
        guard let url else {
            guard profile.emails == nil else {
                throw settings.mistake("emails", "It goes with url. Leave it out, or give both.")
            }
            self = .tokenResponse(identifier: identifier, profile: profile)
            return
        }
        self = .request(url, headers: headers, identifier: identifier, profile: profile)
    }
}
