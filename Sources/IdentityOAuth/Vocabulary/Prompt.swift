/// A value of `prompt`: whether the server must, or must not, show its pages (OpenID Connect Core section 3.1.2.1).
public struct Prompt: OpenEnum {
    /// The value as it is on the wire, also one that this version does not know.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Show no page, and respond with an error if one is needed. Excludes all other values.
    public static let none: Prompt = "none"
    /// Ask the person to sign in again even if there is a session.
    public static let login: Prompt = "login"
    /// Ask for consent even when it was given before.
    public static let consent: Prompt = "consent"
    /// Let the person choose among several sessions.
    public static let selectAccount: Prompt = "select_account"
    /// Offer to create an account (Initiating User Registration via OpenID Connect).
    public static let create: Prompt = "create"
}

extension Prompt {
    /// Checks that values may stand together in one request: `none` excludes all others, and no value is empty or has a space.
    /// - Throws: ``OAuthError/invalidSetting(_:)``.
    public static func check(_ prompts: [Prompt]) throws {
        guard !(prompts.count > 1 && prompts.contains(.none)),
            prompts.allSatisfy({ !$0.rawValue.isEmpty && !$0.rawValue.contains(" ") })
        else { throw OAuthError.invalidSetting(.invalidParameter("prompt")) }
    }
}
