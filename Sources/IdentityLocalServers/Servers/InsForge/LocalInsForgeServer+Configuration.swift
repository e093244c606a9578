import Foundation
import IdentityKit

extension LocalInsForgeServer {
    /// The project a local server stands for. Every value has a default; the names are the wire's own.
    public struct Configuration: LocalServerConfiguration {
        /// The user that exists from the start.
        public var user = User()
        /// More users that exist from the start.
        public var additionalUsers: [User] = []
        /// Whether no user exists from the start, regardless of ``user``.
        public var startsWithoutUsers = false
        /// The anonymous key, an opaque string that starts with `anon_`; a random one by default.
        public var anonKey = "anon_" + LocalIdentifiers.hex(byteCount: 32)
        /// The API key, an opaque string that starts with `ik_`; a random one by default.
        public var apiKey = "ik_" + LocalIdentifiers.hex(byteCount: 32)
        /// The administrator of the dashboard.
        public var admin = Administrator()
        /// The secret behind refresh tokens, CSRF tokens and OAuth states; a random one by default.
        public var signingSecret = Secret(LocalIdentifiers.hex(byteCount: 32))
        /// How access tokens are signed.
        public var accessTokenAlgorithm = AccessTokenAlgorithm.rs256
        /// Allowed targets of OAuth sign-ins and mailed links, as exact addresses or globs; empty allows everything.
        public var allowedRedirectURLs: [String] = []
        /// Requirements on a new password.
        public var passwordPolicy = PasswordPolicy()
        /// Whether a new user must prove the address before the first session.
        public var requireEmailVerification = false
        /// Whether a verification mail carries a code or a link.
        public var verifyEmailMethod = MailMethod.code
        /// Whether a password-reset mail carries a code or a link.
        public var resetPasswordMethod = MailMethod.code
        /// Whether only administrators may create users.
        public var disableSignup = false
        /// Delivery or loss of mails.
        public var mailDelivery = MailDelivery.working
        /// The configured built-in OAuth providers.
        public var oAuthProviders = ["github", "google"]
        /// The keys of the configured custom OAuth providers.
        public var customOAuthProviders = ["mock"]
        /// The person who signs in at the fake provider; `nil` for ``user``.
        public var providerIdentity: ProviderIdentity?
        /// The identifiers of the apps that Sign in with Apple may be used from. Apple must be among
        /// ``oAuthProviders``, too.
        public var appleClientIDs = ["org.example.app"]
        /// The client identifier that Google's tokens must be made for.
        public var googleClientID = "local-client"
        /// Whether the pages ask who the person is and whether they agree. Otherwise the fake
        /// provider and the hosted page sign in at once.
        public var asksPeople = false
        /// Whether mails, codes and native sign-ins are limited as the real server limits them.
        public var enforcesRateLimits = true
        /// The least time between two mails to one address; `nil` as with InsForge's own mail service.
        public var mailInterval: Duration?
        /// Deviations that imitate other servers.
        public var legacy = LegacyBehaviour()
        /// Behaviour of no real server, to see what a client makes of it.
        public var faults = Faults()

        /// A project with one verified user.
        public init() {}

        var users: [User] { startsWithoutUsers ? [] : [user] + additionalUsers }
    }

    /// A user that exists when the server starts.
    public struct User: Sendable, Equatable, Codable {
        /// The user's identifier, a lower-case UUID.
        public var id: String
        /// The address, which is the sign-in name.
        public var email: String
        /// The password; a well-known one, for tests and demos only.
        public var password: String
        /// The name in the profile.
        public var name: String
        /// Whether the address counts as proven.
        public var emailVerified: Bool
        /// The whole profile, where it is not just the name. The real server checks no member of it.
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
        /// The user name; the subject is `local:` and this.
        public var username: String
        /// The password; a well-known one, for tests and demos only.
        public var password: String

        public init(username: String = "admin", password: String = "change-this-password") {
            self.username = username
            self.password = password
        }
    }

    /// How access tokens are signed.
    public enum AccessTokenAlgorithm: Sendable {
        /// With an RSA key that is published as a JWK set: servers of today.
        case rs256
        /// With the shared secret, without a key identifier: older servers, and those without a key pair.
        case hs256
    }

    /// Requirements on a new password. Only the length is required by default.
    public struct PasswordPolicy: Sendable, Equatable {
        /// The least number of UTF-16 units, as JavaScript counts.
        public var passwordMinLength = 6
        /// Whether a digit is required.
        public var requireNumber = false
        /// Whether a letter of `a` to `z` is required.
        public var requireLowercase = false
        /// Whether a letter of `A` to `Z` is required.
        public var requireUppercase = false
        /// Whether one of the server's special characters is required.
        public var requireSpecialChar = false

        /// Six characters of any kind.
        public init() {}
    }

    /// Ways for the recipient of a mail to prove it.
    public enum MailMethod: String, Sendable {
        /// To type six digits.
        case code
        /// To open an address.
        case link
    }

    /// Delivery or loss of mails.
    public enum MailDelivery: Sendable {
        /// A mail lands in ``LocalInsForgeServer/outbox``.
        case working
        /// The project has no mail provider.
        case notConfigured
        /// The mail provider refuses it.
        case failing
    }

    /// A person who signs in at the fake OAuth provider.
    public struct ProviderIdentity: Sendable, Equatable {
        /// The provider's own identifier of the account.
        public var subject: String
        /// The address the provider vouches for.
        public var email: String
        public var name: String
        /// The address of a picture, or nothing.
        public var avatarURL: String

        /// Creates an identity; the subject follows from the address unless it is given.
        public init(subject: String? = nil, email: String, name: String, avatarURL: String = "") {
            self.subject = subject ?? "fake|" + email
            (self.email, self.name, self.avatarURL) = (email, name, avatarURL)
        }
    }

    /// Deviations from today's server that a client may still meet, and one that is stricter than any.
    public struct LegacyBehaviour: Sendable, Equatable {
        /// Refresh reads `refresh_token` alone, as before March 2026.
        public var refreshReadsSnakeCaseOnly = false
        /// The OAuth callback carries tokens and user fields instead of a code, as before January 2026. The page to sign in
        /// on did so in some cases until March 2026.
        public var callbackCarriesTokens = false
        /// Sign-up needs no credential, as before June 2026.
        public var signUpNeedsNoCredential = false
        /// A duplicate sign-up is `ALREADY_EXISTS` and an unknown user `NOT_FOUND`, as before May 2026.
        public var hasGeneralErrorCodes = false
        /// User objects have no `providers`.
        public var omitsProviders = false
        /// Unknown paths get an HTML page, as where the dashboard is served.
        public var notFoundIsHTML = false
        /// There is a page to sign in on at `/auth/sign-in`, as before March 2026.
        public var servesHostedPage = false
        /// A refresh token works once: no InsForge server does this, but it hardens a client.
        public var refreshTokensAreSingleUse = false

        public init() {}
    }

    /// Behaviour of no real server; none by default.
    public struct Faults: Sendable, Equatable {
        /// Members of user objects with another value than the user's; `nil` for a member that is left out.
        public var userMembers: [String: JSONValue?] = [:]
        /// Members of the responses that open or continue a session, likewise.
        public var sessionMembers: [String: JSONValue?] = [:]
        /// The content type of the responses that open or continue a session, instead of JSON's.
        public var sessionContentType: String?
        /// Bytes before the body of the responses that open or continue a session.
        public var sessionPrefix = Data()
        /// The status of the responses that open or continue a session.
        public var sessionStatus = 200
        /// Whether the key pair cannot be loaded: access tokens are signed with the secret, and no key is published. The
        /// real server does this.
        public var hasLostKeyPair = false

        public init() {}
    }
}
