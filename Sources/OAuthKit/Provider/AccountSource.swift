import Foundation
import IdentityKit

/// How an OAuth server says who signed in. OAuth itself does not (RFC 6749).
public enum AccountSource: Sendable {
    /// By an ID token, or by userinfo where a server issues none to devices (OpenID Connect Core sections 2 and 5.3).
    case idToken
    /// By a resource of its own that takes the access token and returns a JSON object.
    /// - Parameters:
    ///   - url: the resource.
    ///   - identifier: the member that identifies the person for ever, a text or a whole number; `a.b` for a member of
    ///     a member.
    ///   - profile: the members that are shown to people, by what they mean.
    case request(_ url: URL, identifier: String, profile: ProfileMembers = ProfileMembers())

    /// Which members of a resource are shown to people.
    public struct ProfileMembers: Sendable {
        /// The person's name.
        public var displayName: String?
        /// The e-mail address.
        public var email: String?
        /// The name the person signs in with.
        public var username: String?
        /// The address of a picture.
        public var picture: String?

        /// Members, none by default.
        public init(
            displayName: String? = nil, email: String? = nil, username: String? = nil, picture: String? = nil
        ) {
            (self.displayName, self.email, self.username, self.picture) = (displayName, email, username, picture)
        }
    }
}

/// A person as a server names them.
struct SignedInPerson: Sendable {
    let subject: String
    let profile: AccountProfile?
}

extension AccountSource {
    /// Whether the `sub` of an ID token is the name of the account.
    var isIDToken: Bool {
        if case .idToken = self { true } else { false }
    }

    /// Who signed in.
    /// - Parameters:
    ///   - tokens: what the sign-in brought.
    ///   - party: the client at the server.
    ///   - expected: who it must be; `nil` for any person.
    ///   - environment: the network and the clock.
    /// - Throws: ``OAuthError``, also when it is another person, or what the transport throws.
    func person(
        of tokens: TokenSet, at party: RelyingParty, expecting expected: String?, in environment: IdentityEnvironment
    ) async throws -> SignedInPerson {
        switch self {
        case .idToken:
            if let idToken = tokens.idToken {
                let profile = await party.missingProfile(of: tokens, idToken, time: environment.time)
                return SignedInPerson(subject: idToken.subject, profile: profile)
            }
            // RFC 8628 knows no ID token, and not every server adds one. The access token came from the server itself, so
            // its word about whom it belongs to is as good.
            let claims = try await party.userInfo(tokens.response.accessToken, subject: expected)
            return SignedInPerson(subject: claims.subject, profile: AccountProfile(claims: claims.claims))
        case .request(let url, let identifier, let profile):
            let members = try await party.resource(at: url, tokens.response.accessToken)
            guard let subject = members.identifier(at: identifier) else {
                throw OAuthError.invalidUserInfo(.missingIdentifier(member: identifier))
            }
            guard subject.hasBytes(of: expected ?? subject) else { throw OAuthError.invalidUserInfo(.subjectMismatch) }
            return SignedInPerson(subject: subject, profile: AccountProfile(claims: profile.claims(in: members)))
        }
    }
}

extension AccountSource.ProfileMembers {
    /// The members under the names of the standard claims (OpenID Connect Core section 5.1).
    fileprivate func claims(in members: [String: JSONValue]) -> [String: JSONValue] {
        ["name": displayName, "email": email, "preferred_username": username, "picture": picture]
            .compactMapValues { $0.flatMap { members.value(at: $0) } }
    }
}

extension [String: JSONValue] {
    /// The member at `path`, whose parts are separated by dots.
    fileprivate func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(JSONValue?.some(.object(self))) { $0?.objectValue?[String($1)] }
    }

    /// The text or whole number at `path`, as a text.
    fileprivate func identifier(at path: String) -> String? {
        switch value(at: path) {
        case .string(let text) where 1...255 ~= text.utf8.count: text
        case .integer(let number): String(number)
        default: nil
        }
    }
}

extension AccountSource: CustomReflectable {
    /// Shows of an address no query.
    public var customMirror: Mirror {
        switch self {
        case .idToken: Mirror(self, showing: [:])
        case .request(let url, let identifier, _):
            Mirror(self, showing: ["url": url.addressAlone, "identifier": identifier])
        }
    }
}
