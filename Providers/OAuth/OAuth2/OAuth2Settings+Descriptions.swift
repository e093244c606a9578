import IdentityKit
import IdentityOAuth

extension OAuth2Settings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions: [SettingDescription] =
        OAuthServerSettings.descriptions.replacing("scopes", default: []).replacing("prompt", default: []) + [
            SettingDescription(
                "issuer",
                "The issuer identifier, or the server's address where endpoints has all that a sign-in needs.",
                example: "https://id.example.com"),
            SettingDescription(
                "account", "Who has signed in: where the server says it, and in which members of its answer.",
                example: ["url": "https://api.example.com/me", "identifier": "id", "name": "name"]),
            .usesCodeChallenge, .trustedCertificates,
        ]
}

extension ProtectedResourceSettings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions: [SettingDescription] =
        OAuthServerSettings.descriptions.replacing("scopes", default: []).map { description in
            guard ["clientID", "redirectURI"].contains(description.key) else {
                // What proves who a client is needs one that does not register itself.
                return description.key == "registration" ? description : description.with(["clientID": "example-app"])
            }
            let isRedirect = description.key == "redirectURI"
            return SettingDescription(
                description.key, description.meaning,
                example: isRedirect ? "com.example.app://callback" : description.example,
                default: isRedirect ? (defaultRedirectURI?.absoluteString).map(JSONValue.string) : nil)
        } + [
            SettingDescription(
                "resource", "The resource identifier, exactly as the resource writes it.",
                example: "https://api.example.com"),
            SettingDescription(
                "issuer", "Which of the resource's authorization servers is asked; by default the first.",
                example: "https://id.example.com"),
            SettingDescription(
                "account", "Who has signed in: where the resource says it, and in which members of its answer.",
                example: ["url": "https://api.example.com/me", "identifier": "id"]),
            .trustedCertificates,
        ]
}

extension WorkloadSettings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions: [SettingDescription] =
        ClientSettings.descriptions.map { description in
            description.key == "clientSecret"
                ? SettingDescription(
                    description.key, description.meaning, example: description.example, isUsual: true) : description
        }
        + OAuthServerSettings.descriptions.filter {
            ["audience", "resources", "tokenParameters", "bindsTokens", "endpoints", "tokenResponse"]
                .contains($0.key)
        } + own

    private static let own: [SettingDescription] = [
        SettingDescription(
            "issuer", "The issuer identifier of the server; without it token is the access token itself.",
            example: "https://id.example.com", isUsual: true),
        SettingDescription(
            "grant", "How the server grants access; by default client_credentials, without a token.",
            example: "client_credentials"),
        SettingDescription(
            "token", "Where the platform puts the program's own token.", example: ["file": "/run/secrets/token"],
            with: ["grant": "jwt-bearer", "clientSecret": .null]),
        SettingDescription(
            "account", "The account's name; by default the client identifier, or else the provider's name.",
            example: "nightly-report"),
        SettingDescription("scopes", "The scopes of the access token.", example: ["reports"], default: []),
        SettingDescription(
            "subject", "Whom a token is about that the client signs, for jwt-bearer without a token.",
            example: "service@example.com",
            with: [
                "grant": "jwt-bearer", "clientSecret": .null, "clientKeyFile": "client-key.pem",
                "clientKeyID": "example-key",
            ]),
        SettingDescription(
            "claims", "More claims of the token that the client signs, for jwt-bearer without a token.",
            example: ["department": "research"], default: [:],
            with: [
                "grant": "jwt-bearer", "clientSecret": .null, "clientKeyFile": "client-key.pem",
                "clientKeyID": "example-key",
            ]),
        SettingDescription(
            "tokenType", "What the token is, for token-exchange; by default a JWT.",
            example: "urn:ietf:params:oauth:token-type:id_token",
            with: ["grant": "token-exchange", "token": ["variable": "EXAMPLE_TOKEN"]]),
        SettingDescription(
            "requestedTokenType", "What is wanted for the token, for token-exchange; by default the server decides.",
            example: "urn:ietf:params:oauth:token-type:access_token",
            with: ["grant": "token-exchange", "token": ["variable": "EXAMPLE_TOKEN"]]),
        .trustedCertificates,
    ]
}

extension [SettingDescription] {
    /// The same, with what counts where `key` is absent.
    fileprivate func replacing(_ key: String, default value: JSONValue) -> [SettingDescription] {
        map { description in
            guard description.key == key else { return description }
            return SettingDescription(
                key, description.meaning, example: description.example, default: value,
                isUsual: description.isUsual, with: description.companions)
        }
    }
}
