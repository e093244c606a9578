import IdentityKit

extension InsForgeSettings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions: [SettingDescription] = [
        SettingDescription("baseURL", "The project's base address.", example: "https://example.insforge.app"),
        SettingDescription(
            "anonKey", "The project's public anonymous key, which sign-up needs.", example: "anon_0123",
            isUsual: true),
        SettingDescription(
            "signIn",
            "How a person signs in: with e-mail address and password, with a mailed code, or at an OAuth provider.",
            example: "mailedCode", default: "password"),
        SettingDescription(
            "oauthProvider", "The OAuth provider, where signIn is oauth.", example: "google",
            with: ["signIn": "oauth", "redirectURI": "http://127.0.0.1/callback"]),
        SettingDescription(
            "oauthProviderKey", "The key of an OAuth provider of the project's own, in the place of oauthProvider.",
            example: "example-login", with: ["signIn": "oauth", "redirectURI": "http://127.0.0.1/callback"]),
        SettingDescription(
            "redirectURI", "Where the browser returns from an OAuth provider and from mailed links.",
            example: "http://127.0.0.1/callback"),
        .allowsLoopbackHTTP.with(["baseURL": "http://127.0.0.1:7130"]), .trustedCertificates,
    ]
}
