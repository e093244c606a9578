import IdentityKit

extension AuthorizationOptions {
    package static let descriptions = [
        SettingDescription("loginHint", "Whom to sign in, such as an e-mail address.", example: "ada@example.com"),
        SettingDescription(
            "uiLocales", "The languages of the server's pages as BCP 47 tags, the preferred one first.",
            example: ["de", "en"], default: []),
        SettingDescription(
            "acrValues",
            "How strongly a person must prove who they are, in the server's words, the preferred one first.",
            example: ["phr"], default: []),
        SettingDescription(
            "maxAge", "How many seconds ago a person may have signed in at the server at most.", example: 3600),
        SettingDescription(
            "audience", "For which API access is asked, where the server knows it by a name of its own.",
            example: "https://api.example.com"),
        SettingDescription(
            "resources", "For which resources access is asked, as addresses (RFC 8707).",
            example: ["https://api.example.com"], default: []),
        SettingDescription(
            "authorizationDetails", "What access is asked for in detail, as JSON objects with a type (RFC 9396).",
            example: [["type": "account_information"]], default: []),
    ]
}
