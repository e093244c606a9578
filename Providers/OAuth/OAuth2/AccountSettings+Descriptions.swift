import IdentityKit

extension AccountSettings: DescribedSettings {
    static let descriptions = [
        SettingDescription(
            "identifier", "The path of the member that identifies a person for ever.", example: "id"),
        SettingDescription(
            "url", "The address that says who has the access token; without it the token response does.",
            example: "https://api.example.com/me"),
        SettingDescription(
            "headers", "The headers of the request for it.", example: ["Accept": "application/json"], default: [:]),
        SettingDescription("name", "The path of the person's name.", example: "profile.name"),
        SettingDescription("email", "The path of the person's e-mail address.", example: "email"),
        SettingDescription(
            "emails",
            "The address that lists e-mail addresses, of which the primary verified one counts without email.",
            example: "https://api.example.com/me/emails"),
        SettingDescription("username", "The path of the name that the person signs in with.", example: "login"),
        SettingDescription(
            "picture", "The path of the address of the person's picture, or the address with paths in braces.",
            example: "avatar_url"),
    ]
}

extension PlatformTokenSettings: DescribedSettings {
    static let descriptions = [
        SettingDescription(
            "file", "The file that the platform keeps the token in.", example: "/run/secrets/token"),
        SettingDescription(
            "variable", "The environment variable that holds the token.", example: "EXAMPLE_TOKEN"),
        SettingDescription(
            "gitHubActions", "The token of a GitHub workflow, which is asked for.",
            example: ["audience": "https://id.example.com"]),
    ]
}
