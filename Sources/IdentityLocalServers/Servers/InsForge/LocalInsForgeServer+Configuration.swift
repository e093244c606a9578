import Foundation
import IdentityKit

extension LocalInsForgeServer {
    /// The configuration of the project that a local server simulates. Every value has a default. Settings that exist
    /// in InsForge have the same names here.
    public struct Configuration: LocalServerConfiguration {
        /// The user that exists when the server starts, unless ``startsWithoutUsers`` is set.
        public var user = User()
        /// Users that exist when the server starts, besides ``user``; none by default.
        public var additionalUsers: [User] = []
        /// Whether no user exists when the server starts, regardless of ``user`` and ``additionalUsers``.
        public var startsWithoutUsers = false
        /// The anonymous key, an opaque string that begins with `anon_`; random by default.
        public var anonKey = "anon_" + LocalIdentifiers.hex(byteCount: 32)
        /// The API key, an opaque string that begins with `ik_`; random by default.
        public var apiKey = "ik_" + LocalIdentifiers.hex(byteCount: 32)
        /// The user name and password of the dashboard's administrator.
        public var admin = Administrator()
        /// The secret that signs refresh tokens, CSRF tokens, OAuth states and HS256 access tokens; random by default.
        public var signingSecret = Secret(LocalIdentifiers.hex(byteCount: 32))
        /// The algorithm that signs access tokens; by default RS256, as in current server versions.
        public var accessTokenAlgorithm = AccessTokenAlgorithm.rs256
        /// Allowed redirect targets of OAuth sign-ins and mailed links, as exact addresses or globs; an empty list
        /// allows everything.
        public var allowedRedirectURLs: [String] = []
        /// Requirements on a new password, at sign-up and at a password reset; by default at least six characters.
        public var passwordPolicy = PasswordPolicy()
        /// Whether a user must verify the e-mail address before a sign-up or a sign-in with a password opens a session.
        public var requireEmailVerification = false
        /// Whether a verification mail carries a code or a link.
        public var verifyEmailMethod = MailMethod.code
        /// Whether a password-reset mail carries a code or a link.
        public var resetPasswordMethod = MailMethod.code
        /// Whether only administrators may create users. A sign-in that would create a user is then refused, too.
        public var disableSignup = false
        /// Whether mails are delivered, or sending a mail fails with an error.
        public var mailDelivery = MailDelivery.working
        /// The names of the built-in OAuth providers that are configured, as in the paths of requests.
        public var oAuthProviders = ["github", "google"]
        /// The names of the configured custom OAuth providers, as in the paths of requests.
        public var customOAuthProviders = ["mock"]
        /// The person who signs in at the fake provider, unless `login_hint` names another person; `nil` for a person with the
        /// address and the name of ``user``.
        public var providerIdentity: ProviderIdentity?
        /// Identifiers of the apps that may use Sign in with Apple. Such a sign-in works only if ``oAuthProviders`` also
        /// includes `apple`.
        public var appleClientIDs = ["org.example.app"]
        /// The client identifier that an ID token of Google must have as its audience (`aud`).
        public var googleClientID = "local-client"
        /// Whether the fake provider and the hosted sign-in page ask who signs in. Otherwise they ask nothing: the fake
        /// provider signs in ``providerIdentity`` or the person in `login_hint`, and the page signs in ``user``.
        public var asksPeople = false
        /// Whether mails, codes and native sign-ins have the real server's rate limits.
        public var enforcesRateLimits = true
        /// The minimum time between two mails to one address. Sending a mail sooner fails. `nil` for no minimum, as
        /// with InsForge's own mail service.
        public var mailInterval: Duration?
        /// Deviations from the current version of the server; none by default. Most of them imitate older versions.
        public var legacy = LegacyBehaviour()
        /// Faults in the server's responses, to test a client's reaction; none by default.
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
        /// The name in the profile, unless ``profile`` is set.
        public var name: String
        /// Whether the e-mail address counts as verified, as it does by default.
        public var emailVerified: Bool
        /// The whole profile; `nil` for a profile with only the name. Any members are allowed, because the real server
        /// validates none.
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

    /// The credentials of the dashboard's administrator, for `POST /api/auth/admin/sessions`.
    public struct Administrator: Sendable, Equatable {
        /// The user name. The subject of the administrator's tokens is `local:` followed by the user name.
        public var username: String
        /// The password; the default is well known, for tests and demos only.
        public var password: String

        public init(username: String = "admin", password: String = "change-this-password") {
            self.username = username
            self.password = password
        }
    }

    /// Algorithms that sign access tokens, in current and in older servers.
    public enum AccessTokenAlgorithm: Sendable {
        /// RS256 with an RSA key that the server publishes in a JWK set, as in current servers.
        case rs256
        /// HS256 with the shared secret and without a key identifier, as in older servers and those without a key pair.
        case hs256
    }

    /// Requirements on a new password. Only the length is required by default.
    public struct PasswordPolicy: Sendable, Equatable {
        /// The minimum length in UTF-16 code units, as JavaScript counts.
        public var passwordMinLength = 6
        /// Whether a digit is required.
        public var requireNumber = false
        /// Whether a letter of `a` to `z` is required.
        public var requireLowercase = false
        /// Whether a letter of `A` to `Z` is required.
        public var requireUppercase = false
        /// Whether a special character is required: ASCII punctuation except for quotes, colon, tilde and backtick.
        public var requireSpecialChar = false

        /// Creates a policy that requires at least six characters of any kind.
        public init() {}
    }

    /// How a person proves the receipt of a mail.
    public enum MailMethod: String, Sendable {
        /// The mail has six digits, which the person types into the app.
        case code
        /// The mail has a link, which the person opens.
        case link
    }

    /// Outcomes of sending a mail.
    public enum MailDelivery: Sendable {
        /// Mails are delivered to ``LocalInsForgeServer/outbox``.
        case working
        /// The project has no mail provider, so sending a mail fails with 503 `EMAIL_PROVIDER_NOT_CONFIGURED`.
        case notConfigured
        /// The mail provider refuses mails, so sending a mail fails with 500 `EMAIL_SMTP_SEND_FAILED`.
        case failing
    }

    /// A person's account at an OAuth provider, for the fake provider and for native ID tokens.
    public struct ProviderIdentity: Sendable, Equatable {
        /// The provider's identifier of the account (`sub`). A user is linked to this identifier.
        public var subject: String
        /// The e-mail address of the account. After a sign-in with this account, the user's address counts as verified.
        public var email: String
        public var name: String
        /// The address of a picture, which becomes `avatar_url` in a new user's profile; empty for none.
        public var avatarURL: String

        /// Creates an identity. The default subject is `fake|` followed by the e-mail address.
        public init(subject: String? = nil, email: String, name: String, avatarURL: String = "") {
            self.subject = subject ?? "fake|" + email
            (self.email, self.name, self.avatarURL) = (email, name, avatarURL)
        }
    }

    /// Deviations from the current server. Clients may still encounter them in other real servers, except for
    /// ``refreshTokensAreSingleUse``.
    public struct LegacyBehaviour: Sendable, Equatable {
        /// Whether a native client's refresh reads only `refresh_token`, not `refreshToken`, as before March 2026.
        public var refreshReadsSnakeCaseOnly = false
        /// Whether the redirect to the app carries tokens and user fields instead of a code, as before January 2026.
        /// For a request without a code challenge, the hosted sign-in page always redirects with tokens and user
        /// fields.
        public var callbackCarriesTokens = false
        /// Whether sign-up needs neither a key nor a token, as before June 2026.
        public var signUpNeedsNoCredential = false
        /// Whether a duplicate sign-up fails with `ALREADY_EXISTS`, and a request for an unknown user with `NOT_FOUND`, as
        /// before May 2026.
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

    /// Faults in the server's responses; none by default. Of these faults, real servers have only ``hasLostKeyPair``.
    public struct Faults: Sendable, Equatable {
        /// Members to set in user objects. The value `nil` removes the member.
        public var userMembers: [String: JSONValue?] = [:]
        /// Members to set in responses that open or continue a user's session. The value `nil` removes the member.
        public var sessionMembers: [String: JSONValue?] = [:]
        /// The content type of responses that open or continue a user's session; `nil` for `application/json;
        /// charset=utf-8`.
        public var sessionContentType: String?
        /// Bytes to send before the JSON body of responses that open or continue a user's session; empty by default.
        public var sessionPrefix = Data()
        /// The HTTP status of responses that open or continue a user's session; 200 by default.
        public var sessionStatus = 200
        /// Whether the key pair cannot be loaded, so that access tokens are signed with the secret and no key is
        /// published. Unlike the other faults, this one occurs in real servers.
        public var hasLostKeyPair = false

        public init() {}
    }
}
