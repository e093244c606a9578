import Foundation
import IdentityKit

/// The source of the account's identity, which OAuth itself does not define (RFC 6749).
///
/// A path names a member of a JSON document: `a.b` is the member `b` of the object `a`, and `data.0.id` a member of the
/// first element of the list `data`. If the document itself is a list, the path begins with an index, as in `0.id`.
public enum AccountSource: Sendable {
    /// The `sub` of the ID token, or of userinfo if the token response has no ID token (OpenID Connect Core sections 2 and
    /// 5.3). A multi-tenant server must issue an ID token.
    case idToken
    /// A resource of the server that accepts the access token and returns a JSON object or list about the person.
    /// - Parameters:
    ///   - url: the address of the resource.
    ///   - headers: headers that the resource needs besides the token, such as the version of an API.
    ///   - identifier: the path of the member that identifies the person permanently, a text or a whole number.
    ///   - profile: the paths of the members for the account's profile.
    case request(
        _ url: URL, headers: [String: String] = [:], identifier: String, profile: ProfileMembers = ProfileMembers())
    /// Members of the token response in addition to those of RFC 6749, such as a vendor's user identifier.
    /// - Parameters:
    ///   - identifier: the path of the member that identifies the person permanently, a text or a whole number.
    ///   - profile: the paths of the members for the account's profile.
    case tokenResponse(identifier: String, profile: ProfileMembers = ProfileMembers())
    /// No identity: every sign-in is for a single account with this name.
    case named(String)

    /// Paths of the members from which the account's profile is made. Instead of a path, a property can be a text with paths
    /// in braces, such as `https://cdn.example/{avatar.id}.png` for a server that sends only the identifier of a picture.
    public struct ProfileMembers: Sendable {
        public var displayName: String?
        public var email: String?
        /// The path of the name with which the person signs in.
        public var username: String?
        /// The path of the address of the person's picture.
        public var picture: String?
        /// The address at which the server lists the person's e-mail addresses, each with `email`, `primary` and
        /// `verified`, as at GitHub. If the resource has no address at the path ``email``, the verified primary address of
        /// the list is used.
        public var emails: URL?

        /// Creates paths of members. The profile lacks each value for which no path is given.
        public init(
            displayName: String? = nil, email: String? = nil, username: String? = nil, picture: String? = nil
        ) {
            (self.displayName, self.email, self.username, self.picture) = (displayName, email, username, picture)
        }
    }
}

struct SignedInPerson: Sendable {
    let subject: String
    var profile: AccountProfile?
}

extension AccountSource {
    /// The configured addresses that receive the access token.
    var addresses: [URL] {
        if case .request(let url, _, _, let profile) = self { [url, profile.emails].compactMap { $0 } } else { [] }
    }

    /// Whether the `sub` of an ID token identifies the account.
    var isIDToken: Bool {
        if case .idToken = self { true } else { false }
    }

    /// Checks that the headers may be added to a request. The names `Authorization`, `DPoP`, `Host`, `Content-Length` and
    /// `Cookie` are reserved.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a reserved or malformed name, or for a value that is empty or not
    ///   printable ASCII.
    package static func checkHeaders(_ headers: [String: String]) throws {
        let reserved: Set = ["authorization", "dpop", "host", "content-length", "cookie"]
        for (name, value) in headers {
            guard name.isUnquotedWord, !reserved.contains(name.lowercased()), value.filter({ $0 != " " }).isVisibleText
            else { throw OAuthError.invalidSetting(.invalidParameter(name)) }
        }
    }

    /// Determines who signed in.
    /// - Parameters:
    ///   - tokens: the tokens of the sign-in.
    ///   - party: the client at the server.
    ///   - expected: the person who must have signed in; `nil` for any person.
    ///   - environment: the clock, for the time limit on requests that only complete the profile.
    /// - Throws: ``OAuthError``, also when another person than `expected` signed in, `MalformedTokenError`,
    ///   `RandomnessError`, `CancellationError`, or what the transport throws.
    func person(
        of tokens: TokenSet, at party: RelyingParty, expecting expected: String?, in environment: IdentityEnvironment
    ) async throws -> SignedInPerson {
        switch self {
        case .idToken:
            if let idToken = tokens.idToken {
                let profile = await party.missingProfile(of: tokens, idToken, time: environment.time)
                return SignedInPerson(subject: idToken.person, profile: profile)
            }
            // Userinfo has no claim for the tenant, so the tenant could not be checked.
            guard party.tenants == nil else { throw OAuthError.invalidIDToken(.missing) }
            // RFC 8628 defines no ID token, and not every server adds one. Userinfo is as trustworthy here, because the
            // access token came directly from the server.
            let claims = try await party.userInfo(tokens.response.accessToken, of: expected)
            return SignedInPerson(subject: claims.subject, profile: AccountProfile(claims: claims.claims))
        case .request(let url, let headers, let identifier, let profile):
            let document = try await party.resource(at: url, headers: headers, tokens.response.accessToken)
            var person = try person(in: document, identifier, profile, expecting: expected)
            if let emails = profile.emails, person.profile?.email == nil {
                let list = try? await Deadline.run(.seconds(5), on: environment.time, orThrow: CancellationError()) {
                    try await party.resource(at: emails, headers: headers, tokens.response.accessToken)
                }
                person.profile = person.profile.completed(with: list?.primaryEmail)
            }
            return person
        case .named(let name): return SignedInPerson(subject: name, profile: nil)
        case .tokenResponse(let identifier, let profile):
            return try person(in: .object(tokens.response.document), identifier, profile, expecting: expected)
        }
    }

    func person(
        in document: JSONValue, _ identifier: String, _ profile: ProfileMembers, expecting expected: String?
    ) throws -> SignedInPerson {
        guard let subject = document.value(at: identifier)?.identifier else {
            throw OAuthError.invalidUserInfo(.missingIdentifier(member: identifier))
        }
        guard subject.hasBytes(of: expected ?? subject) else { throw OAuthError.invalidUserInfo(.subjectMismatch) }
        return SignedInPerson(subject: subject, profile: AccountProfile(claims: profile.claims(in: document)))
    }
}

extension AccountSource.ProfileMembers {
    /// Returns the profile's values in `document`, under the names of the standard claims (OpenID Connect Core section
    /// 5.1), such as `name` for the value of ``displayName``.
    fileprivate func claims(in document: JSONValue) -> [String: JSONValue] {
        ["name": displayName, "email": email, "preferred_username": username, "picture": picture]
            .compactMapValues { $0.flatMap(document.value(of:)) }
    }
}

extension JSONValue {
    /// Returns the value at the path `member`. If `member` has paths in braces, returns `member` with each of them replaced by
    /// its value. Returns `nil` if a path leads to no value, or if a value for braces has other characters than letters,
    /// digits, `_` and `-`.
    fileprivate func value(of member: String) -> JSONValue? {
        guard member.contains("{") else { return value(at: member) }
        var (text, rest) = ("", member[...])
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let path = rest[rest.index(after: start)..<end]
            guard let part = value(at: String(path))?.identifier, part.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil else {
                return nil
            }
            text += rest[..<start] + part
            rest = rest[rest.index(after: end)...]
        }
        return .string(text + rest)
    }

    /// A profile with only the primary, verified address of this list of e-mail addresses; `nil` without such an address.
    fileprivate var primaryEmail: AccountProfile? {
        let primary = arrayValue?.first { $0["primary"] == true && $0["verified"] == true }
        return primary?["email"].flatMap { AccountProfile(claims: ["email": $0]) }
    }
}

extension AccountSource: Reticent {
    /// Shows the address without its query and the headers without their values. Hides the account name of `named`.
    package var shown: KeyValuePairs<String, Any> {
        switch self {
        case .idToken, .named: [:]
        case .request(let url, let headers, let identifier, _):
            ["url": url.addressAlone, "headers": headers.namesAlone, "identifier": identifier]
        case .tokenResponse(let identifier, _): ["identifier": identifier]
        }
    }
}
