import IdentityKit

extension ThunderIDSettings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions: [SettingDescription] = [
        SettingDescription("baseURL", "The server's base address.", example: "https://id.example.com"),
        SettingDescription(
            "clientID", "The application's OAuth client identifier; without it a native sign-in cannot be refreshed.",
            example: "example-app", isUsual: true),
        SettingDescription(
            "applicationID", "The application's entity identifier, which native flows without a client start with.",
            example: "0198c0de-0000-7000-8000-000000000001"),
        SettingDescription(
            "redirectURI", "Where the browser returns after a sign-in, exactly as registered.",
            example: "com.example.app://callback", isUsual: true),
        SettingDescription(
            "scopes", "The scopes of a session.", example: ["openid", "email"],
            default: .array(defaultScopes.map(JSONValue.string))),
        SettingDescription(
            "signIn", "How a person signs in: in the app, step by step, or in the browser, on the server's page.",
            example: "redirect", default: "native"),
        SettingDescription(
            "pushesAuthorizationRequests",
            "Whether authorization requests are pushed, for an application that requires it (RFC 9126).",
            example: true, default: false),
        SettingDescription(
            "bindsTokens", "Whether tokens are bound to a key, for an application that requires it (RFC 9449).",
            example: true, default: false),
        .replay,
        SettingDescription(
            "language", "The language of labels and messages as a BCP 47 tag; by default the server's own.",
            example: "de"),
        .allowsLoopbackHTTP, .trustedCertificates,
    ]
}
