import Foundation
import IdentityKit

extension LocalInsForgeServer {
    /// The configuration of the project that a local server simulates. All values have defaults; the names are those of
    /// InsForge.
    public struct Configuration: LocalServerConfiguration {
        /// The initial user.
        public var user = User()
        /// Additional initial users.
        public var additionalUsers: [User] = []
        /// Whether there is no initial user, regardless of ``user``.
        public var startsWithoutUsers = false
        /// The anonymous key, an opaque string that begins with `anon_`; random by default.
        public var anonKey = "anon_" + LocalIdentifiers.hex(byteCount: 32)
        /// The API key, an opaque string that begins with `ik_`; random by default.
        public var apiKey = "ik_" + LocalIdentifiers.hex(byteCount: 32)
        /// The administrator of the dashboard.
        public var admin = Administrator()
        /// The secret that signs refresh tokens, CSRF tokens and OAuth states; random by default.
        public var signingSecret = Secret(LocalIdentifiers.hex(byteCount: 32))
        /// How access tokens are signed, which differs between server versions.
        public var accessTokenAlgorithm = AccessTokenAlgorithm.rs256
        /// Allowed redirect targets of OAuth sign-ins and mailed links, as exact addresses or globs; an empty list
        /// allows everything.
        public var allowedRedirectURLs: [String] = []
        /// Requirements on a new password.
        public var passwordPolicy = PasswordPolicy()
        /// Whether a new user must verify the e-mail address before the first session.
        public var requireEmailVerification = false
        /// Whether a verification mail carries a code or a link.
        public var verifyEmailMethod = MailMethod.code
        /// Whether a password-reset mail carries a code or a link.
        public var resetPasswordMethod = MailMethod.code
        /// Whether only administrators may create users.
        public var disableSignup = false
        /// Whether mails are delivered.
        public var mailDelivery = MailDelivery.working
        /// The configured built-in OAuth providers.
        public var oAuthProviders = ["github", "google"]
        /// The keys of the configured custom OAuth providers.
        public var customOAuthProviders = ["mock"]
        /// The person who signs in at the fake provider; `nil` for the person of ``user``.
        public var providerIdentity: ProviderIdentity?
        /// Identifiers of the apps that may use Sign in with Apple. ``oAuthProviders`` must include `apple`, too.
        public var appleClientIDs = ["org.example.app"]
        /// The client identifier that tokens of Google must be issued to.
        public var googleClientID = "local-client"
        /// Whether pages ask who the person is and for approval. Otherwise the fake provider and the hosted page sign
        /// in at once.
        public var asksPeople = false
        /// Whether mails, codes and native sign-ins have the real server's rate limits.
        public var enforcesRateLimits = true
        /// The minimum time between two mails to one address; `nil` for none, as with InsForge's own mail service.
        public var mailInterval: Duration?
        /// Deviations that imitate other versions of the server.
        public var legacy = LegacyBehaviour()
        /// Faults that no real server has, to test a client's reaction.
        public var faults = Faults()

        /// Creates the configuration of a project with one verified user.
        public init() {}

        var users: [User] { startsWithoutUsers ? [] : [user] + additionalUsers }
    }

    /// A user that exists when the server starts.
    public struct User: Sendable, Equatable, Codable {
        /// The user's identifier, a lower-case UUID.
        public var id: String
        /// The e-mail address, with which the user signs in.
        public var email: String
        /// The password; the default is well known, for tests and demos only.
        public var password: String
        /// The name in the profile.
        public var name: String
        /// Whether the e-mail address counts as verified.
        public var emailVerified: Bool
        /// The whole profile, if it has more than the name. The real server validates none of its members.
        public var profile: [String: JSONValue]?

        public init(
            id: String = UUID().uuidString.lowercased(), email: String = "robin@example.org",
            password: String = "correct horse", name: String = "Robin Doe", emailVerified: Bool = true,
            profile: [String: JSONValue]? = nil
        ) {
            (self.id, self.email, self.password, self.name) = (id, email, password, name)
            (self.emailVerified, self.profile) = (emailVerified, profile)
        }
    }

    /// The administrator's credentials.
    public struct Administrator: Sendable, Equatable {
        /// The user name; the subject is `local:` followed by it.
        public var username: String
        /// The password; the default is well known, for tests and demos only.
        public var password: String

        public init(username: String = "admin", password: String = "change-this-password") {
            self.username = username
            self.password = password
        }
    }

    /// The algorithm that signs access tokens.
    public enum AccessTokenAlgorithm: Sendable {
        /// An RSA key that is published in a JWK set, as in current servers.
        case rs256
        /// The shared secret, without a key identifier, as in older servers and those without a key pair.
        case hs256
    }

    /// Requirements on a new password. Only the length is required by default.
    public struct PasswordPolicy: Sendable, Equatable {
        /// The minimum length in UTF-16 units, as JavaScript counts.
        public var passwordMinLength = 6
        /// Whether a digit is required.
        public var requireNumber = false
        /// Whether a letter of `a` to `z` is required.
        public var requireLowercase = false
        /// Whether a letter of `A` to `Z` is required.
        public var requireUppercase = false
        /// Whether one of the server's special characters is required.
        public var requireSpecialChar = false

        /// Creates a policy that requires six characters of any kind.
        public init() {}
    }

    /// The way in which a person proves to have received a mail.
    public enum MailMethod: String, Sendable {
        /// By typing six digits.
        case code
        /// By opening a link.
        case link
    }

    /// Whether mails are delivered.
    public enum MailDelivery: Sendable {
        /// Mails are delivered to ``LocalInsForgeServer/outbox``.
        case working
        /// The project has no mail provider.
        case notConfigured
        /// The mail provider refuses mails.
        case failing
    }

    /// A person who signs in at the fake OAuth provider.
    public struct ProviderIdentity: Sendable, Equatable {
        /// The provider's identifier of the account.
        public var subject: String
        /// The e-mail address, as verified by the provider.
        public var email: String
        public var name: String
        /// The address of a picture; empty for none.
        public var avatarURL: String

        /// Creates an identity; by default the subject is derived from the address.
        public init(subject: String? = nil, email: String, name: String, avatarURL: String = "") {
            self.subject = subject ?? "fake|" + email
            (self.email, self.name, self.avatarURL) = (email, name, avatarURL)
        }
    }

    /// Deviations from the current server that clients may still encounter, and one that is stricter than any server.
    public struct LegacyBehaviour: Sendable, Equatable {
        /// Whether refresh reads only `refresh_token`, as before March 2026.
        public var refreshReadsSnakeCaseOnly = false
        /// Whether the OAuth callback carries tokens and user fields instead of a code, as before January 2026; the
        /// hosted sign-in page did so in some cases until March 2026.
        public var callbackCarriesTokens = false
        /// Whether sign-up needs no credential, as before June 2026.
        public var signUpNeedsNoCredential = false
        /// Whether a duplicate sign-up is `ALREADY_EXISTS` and an unknown user `NOT_FOUND`, as before May 2026.
        public var hasGeneralErrorCodes = false
        /// Whether user objects lack `providers`.
        public var omitsProviders = false
        /// Whether unknown paths get an HTML page, as on servers that also host the dashboard.
        public var notFoundIsHTML = false
        /// Whether there is a sign-in page at `/auth/sign-in`, as before March 2026.
        public var servesHostedPage = false
        /// Whether a refresh token works only once. No InsForge server does this, but clients should cope with it.
        public var refreshTokensAreSingleUse = false

        public init() {}
    }

    /// Faults that no real server has; none by default.
    public struct Faults: Sendable, Equatable {
        /// Members of user objects to replace, or for `nil` to leave out.
        public var userMembers: [String: JSONValue?] = [:]
        /// Members to replace, or for `nil` to leave out, in responses that open or continue a session.
        public var sessionMembers: [String: JSONValue?] = [:]
        /// The content type of responses that open or continue a session; `nil` for JSON's.
        public var sessionContentType: String?
        /// Bytes before the body of responses that open or continue a session.
        public var sessionPrefix = Data()
        /// The status of responses that open or continue a session.
        public var sessionStatus = 200
        /// Whether the key pair cannot be loaded, so that access tokens are signed with the secret and no key is
        /// published. Unlike the other faults, this one occurs in real servers.
        public var hasLostKeyPair = false

        public init() {}
    }
}
