/// A value of the parameter `prompt`: a page that the server must show, or none (OpenID Connect Core section 3.1.2.1).
public struct Prompt: OpenEnum {
    /// The value on the wire, which may be unknown to this version of the library.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The server shows no page, and responds with an error if it needs one. No other value may accompany this value.
    public static let none: Prompt = "none"
    /// The person signs in again, even if the server has a session.
    public static let login: Prompt = "login"
    /// The server asks for consent, even if the person has consented before.
    public static let consent: Prompt = "consent"
    /// The person chooses one of the accounts with a session at the server.
    public static let selectAccount: Prompt = "select_account"
    /// The server offers to create an account (Initiating User Registration via OpenID Connect).
    public static let create: Prompt = "create"
}

extension Prompt {
    /// Checks that one request may have all these values: `none` is the only value or absent, and no value is empty or
    /// contains a space.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the values do not meet these conditions.
    package static func check(_ prompts: [Prompt]) throws {
        guard !(prompts.count > 1 && prompts.contains(.none)),
            prompts.allSatisfy({ !$0.rawValue.isEmpty && !$0.rawValue.contains(" ") })
        else { throw OAuthError.invalidSetting(.invalidParameter("prompt")) }
    }
}
