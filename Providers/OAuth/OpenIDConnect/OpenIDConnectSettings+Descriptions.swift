import IdentityKit
import IdentityOAuth

extension OpenIDConnectSettings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions: [SettingDescription] =
        OAuthServerSettings.descriptions.filter { $0.key != "scopes" } + [
            SettingDescription(
                "issuer", "The issuer identifier, byte for byte as the server writes it.",
                example: "https://id.example.com"),
            SettingDescription(
                "scopes", "The scopes of a session; openid is always among them.", example: ["openid", "email"],
                default: .array(defaultScopes.map(JSONValue.string))),
            SettingDescription(
                "tenants", "The issuers of a server with many tenants, such as Microsoft's.",
                example: ["template": "https://id.example.com/{tenantid}/v2.0", "claim": "tid"]),
            .usesCodeChallenge, .trustedCertificates,
        ]
}
