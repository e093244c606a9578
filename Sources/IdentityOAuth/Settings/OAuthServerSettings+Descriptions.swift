import IdentityKit

extension OAuthServerSettings {
    /// What the settings are for, those of the client and of what a sign-in asks for among them.
    package static let descriptions: [SettingDescription] =
        ClientSettings.descriptions + AuthorizationOptions.descriptions + own

    private static let own = [
        SettingDescription("scopes", "The scopes of a session.", example: ["profile", "email"]),
        SettingDescription(
            "redirectURI", "Where the browser returns after a sign-in, exactly as registered.",
            example: "http://127.0.0.1/callback", isUsual: true),
        SettingDescription(
            "postLogoutRedirectURI", "Where the browser returns after a sign-out at the server.",
            example: "http://127.0.0.1/signed-out"),
        SettingDescription(
            "signIn", "How a person signs in: in the browser of this device, or with a code on another one.",
            example: "device", default: "browser"),
        SettingDescription(
            "prompt", "Whether and how the server may talk to the person, in the words of OpenID Connect.",
            example: ["select_account"]),
        SettingDescription(
            "authorizationParameters", "What the server wants in authorization requests beyond the protocol.",
            example: ["hd": "example.com"], default: [:]),
        SettingDescription(
            "tokenParameters", "What the server wants in token requests beyond the protocol.",
            example: ["tenant": "example"], default: [:]),
        SettingDescription(
            "pushesAuthorizationRequests",
            "Whether authorization requests are pushed (RFC 9126). Without a word they are where the server can take them so, and plain where it refuses.",
            example: true),
        SettingDescription(
            "signsAuthorizationRequests",
            "Whether authorization requests are signed with the client's key although the server does not require it (RFC 9101).",
            example: true, default: false,
            with: ["clientSecret": .null, "clientKeyFile": "client-key.pem", "clientKeyID": "example-key"]),
        bindsTokens, .replay, endpoints, tokenResponse,
        SettingDescription(
            "scopeSeparator", "What is between scopes in requests.", example: ",", default: " "),
        SettingDescription(
            "registration", "How the client registers itself, in the place of clientID.",
            example: ["name": "Example"], with: ["clientID": .null, "clientSecret": .null]),
    ]

    /// `bindsTokens`, which other types read too.
    package static let bindsTokens = SettingDescription(
        "bindsTokens", "Whether tokens are bound to a key, so that a stolen one is of no use (RFC 9449).",
        example: true, default: false)

    /// `tokenResponse`, which other types read too.
    package static let tokenResponse = SettingDescription(
        "tokenResponse", "How the server's token responses differ from RFC 6749, and what else of them is kept.",
        example: ["scopeSeparator": ","], default: [:])

    /// `endpoints`, which other types read too.
    package static let endpoints = SettingDescription(
        "endpoints", "The addresses of endpoints that the server announces wrongly or not at all.",
        example: ["token_endpoint": "https://id.example.com/token"], default: [:])
}

extension SettingDescription {
    /// `usesCodeChallenge`, which the types read whose server a configuration names.
    package static let usesCodeChallenge = SettingDescription(
        "usesCodeChallenge", "Whether PKCE is used, which only a server that refuses it makes false.", example: false,
        default: true)
}

extension ClientRegistration: DescribedSettings {
    /// What the members of `registration` are for.
    public static let descriptions = [
        SettingDescription("name", "The client's name, as the server shows it to people.", example: "Example"),
        SettingDescription(
            "metadataDocument", "The address of a document about the client, which is then its identifier.",
            example: "https://app.example.com/client.json"),
        SettingDescription(
            "initialAccessToken", "The token that the server wants for a registration.",
            example: "${REGISTRATION_TOKEN}"),
        SettingDescription(
            "additionalMembers", "What the server wants in a registration beyond the protocol.",
            example: ["contacts": ["admin@example.com"]], default: [:]),
    ]
}

extension TenantIssuer: DescribedSettings {
    /// What the members of `tenants` are for.
    public static let descriptions = [
        SettingDescription(
            "template", "The issuer of a tenant, with a placeholder in braces for the tenant.",
            example: "https://id.example.com/{tenantid}/v2.0"),
        SettingDescription(
            "claim", "The claim of the ID token that names the tenant.", example: "tid"),
        SettingDescription(
            "accepted", "The tenants whose people may sign in; without it those of every tenant.",
            example: ["8eaef023-2b34-4da1-9baa-8bc8c9d6a490"]),
    ]
}

extension TokenResponseFormat: DescribedSettings {
    /// What the members of `tokenResponse` are for.
    public static let descriptions = [
        SettingDescription("encoding", "How the server writes token responses.", example: "form", default: "json"),
        SettingDescription(
            "memberPath", "The path of the member that holds the token response, where it is not the whole document.",
            example: "authed_user"),
        SettingDescription(
            "names", "The server's names of members, by those of RFC 6749.", example: ["access_token": "token"],
            default: [:]),
        SettingDescription(
            "details", "The paths of members that an app needs beside the tokens: texts, numbers, and true or false.",
            example: ["instance_url"], default: []),
        SettingDescription(
            "scopeSeparator", "What is between scopes in a token response.", example: ",", default: " "),
        SettingDescription(
            "assumesBearer", "Whether a token response without token_type brings a bearer token.", example: true,
            default: false),
        SettingDescription(
            "scopesAreList", "Whether scopes in a token response may be a list of texts.", example: true,
            default: false),
        SettingDescription(
            "ignoresIDToken", "Whether an ID token in a token response is ignored; not for openid-connect.",
            example: true,
            default: false),
    ]
}
