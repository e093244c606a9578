/// The public sign-in settings of a project, from which an app can build a sign-in page.
public struct PublicConfig: Sendable, Hashable, Decodable {
    /// The built-in OAuth providers that are configured, by name.
    public let oAuthProviders: [String]
    /// The keys of the custom OAuth providers.
    public let customOAuthProviders: [String]
    /// Whether a new address must be verified before the first session.
    public let requireEmailVerification: Bool
    /// The minimum number of characters of a password; 6 if the server does not send it.
    public let passwordMinLength: Int
    /// Whether a password needs a digit.
    public let requireNumber: Bool
    /// Whether a password needs a lower-case letter.
    public let requireLowercase: Bool
    /// Whether a password needs an upper-case letter.
    public let requireUppercase: Bool
    /// Whether a password needs a special character.
    public let requireSpecialChar: Bool
    /// Whether a verification mail brings a code or a link.
    public let verifyEmailMethod: MailMethod
    /// Whether a reset mail brings a code or a link.
    public let resetPasswordMethod: MailMethod
    /// Whether the project accepts no new users.
    public let disableSignup: Bool

    /// The part of a mail that proves that the person received it.
    public enum MailMethod: String, Sendable, Codable {
        /// The person types the six digits from the mail.
        case code
        /// The person opens the link in the mail. Calls that send such a mail need `redirectTo`.
        case link
    }

    /// The providers in ``oAuthProviders`` that this library knows.
    public var knownOAuthProviders: [OAuthProvider] { oAuthProviders.compactMap(OAuthProvider.init(rawValue:)) }

    private enum CodingKeys: String, CodingKey {
        case oAuthProviders, customOAuthProviders, requireEmailVerification, passwordMinLength, requireNumber
        case requireLowercase, requireUppercase, requireSpecialChar, verifyEmailMethod, resetPasswordMethod
        case disableSignup
    }

    /// Reads the response. A member that an older server omits gets the value that describes that server's behavior.
    /// - Throws: `DecodingError` for a member of another type, and for an unknown mail method.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, or fallback: Value) throws -> Value {
            try container.decodeIfPresent(Value.self, forKey: key) ?? fallback
        }
        oAuthProviders = try value(.oAuthProviders, or: [])
        customOAuthProviders = try value(.customOAuthProviders, or: [])
        requireEmailVerification = try value(.requireEmailVerification, or: false)
        passwordMinLength = try value(.passwordMinLength, or: 6)
        requireNumber = try value(.requireNumber, or: false)
        requireLowercase = try value(.requireLowercase, or: false)
        requireUppercase = try value(.requireUppercase, or: false)
        requireSpecialChar = try value(.requireSpecialChar, or: false)
        verifyEmailMethod = try value(.verifyEmailMethod, or: .code)
        resetPasswordMethod = try value(.resetPasswordMethod, or: .code)
        disableSignup = try value(.disableSignup, or: false)
    }
}
