import Foundation
import IdentityKit

/// How a server writes its token responses where that differs from RFC 6749 section 5.1.
///
/// What is only delivered otherwise, or has names like `accessToken`, needs no setting; see `TokenEndpointResponse`. Nothing
/// else is guessed at a sign-in. A response to a refresh is used where that is possible; see `ResponseFault`.
public struct TokenResponseFormat: Sendable, Hashable {
    /// How the members are encoded.
    public enum Encoding: String, Sendable, Codable, CaseIterable {
        /// A JSON object, as the RFC says.
        case json
        /// `application/x-www-form-urlencoded`, under whatever content type. Under its own and as `text/plain` a form is read
        /// without this.
        case form
    }

    /// How the members are encoded.
    public var encoding = Encoding.json
    /// The member whose members are the token response, such as `authed_user`; `a.b` for a member of a member. `nil` for
    /// the document itself, which also counts at a refresh whose response has no tokens in that member.
    public var memberPath: String?
    /// The server's names of members, by those of the RFCs, such as `token` for `access_token`, and of the `error` of a
    /// refusal. Names like `accessToken` need none.
    public var names: [String: String] = [:]
    /// The members that an app needs beside the tokens, such as `instance_url`; `a.b` for a member of a member. They are
    /// looked for in the document, also where ``memberPath`` names a part of it, and kept as
    /// ``/IdentityKit/Credential/responseDetails``: at most sixteen, of them texts of up to 1 KiB, numbers, and true or
    /// false. A refresh replaces those that its response has. A token cannot be one.
    public var details: [String] = []
    /// The separator of the granted scopes.
    public var scopeSeparator = " "
    /// Whether every access token is a bearer token, also when `token_type` is missing or another word.
    public var assumesBearer = false
    /// Whether `scope` is a list of texts instead of one text with separators.
    public var scopesAreList = false
    /// Whether an ID token is left unread, for servers that answer a request for `openid` with one that cannot be verified,
    /// such as without its nonce. Something else must then say who signed in, and no ID token proves that a code belongs to
    /// the sign-in that asked for it.
    public var ignoresIDToken = false

    /// The vendor's own words for a refresh token that is dead, which end a session like `invalid_grant`.
    public var finalRefusals: [FinalRefusal] = []

    /// The form of the RFC.
    public init() {}

    /// The scopes in `text`; empty ones do not count.
    func scopes(in text: String) -> [String] {
        guard !scopeSeparator.isEmpty else { return [text] }
        return text.components(separatedBy: scopeSeparator)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}

extension TokenResponseFormat: Decodable {
    /// Reads the properties by their names, all of them optional.
    /// - Throws: ``/IdentityKit/ConfigurationError``, also for ``details`` that cannot be kept.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        encoding = try settings.read(
            "encoding", means: "How the server writes token responses.", example: "form", default: "json")
        memberPath = try settings.readIfPresent(
            "memberPath",
            means: "The path of the member that holds the token response, where it is not the whole document.",
            example: "authed_user")
        names = try settings.read(
            "names",
            SettingRule { names in
                let known = TokenEndpointResponse.claimedMembers.union(["error"])
                guard let name = names.keys.first(where: { !known.contains($0) }) else { return }
                throw SettingError("\(sanitized(name)) is no member of a token response, such as access_token.")
            }, means: "The server's names of members, by those of RFC 6749.", example: ["access_token": "token"],
            default: [:])
        details = try settings.read(
            "details",
            means: "The paths of members that an app needs beside the tokens: texts, numbers, and true or false.",
            example: ["instance_url"], default: [])
        let separator: ScopeSeparator = try settings.read(
            "scopeSeparator", means: "What is between scopes in a token response.", example: ",", default: " ")
        scopeSeparator = separator.rawValue
        assumesBearer = try settings.read(
            "assumesBearer", means: "Whether a token response without token_type brings a bearer token.",
            example: true, default: false)
        scopesAreList = try settings.read(
            "scopesAreList", means: "Whether scopes in a token response may be a list of texts.", example: true,
            default: false)
        ignoresIDToken = try settings.read(
            "ignoresIDToken", means: "Whether an ID token in a token response is ignored; not for openid-connect.",
            example: true, default: false)
        finalRefusals = try settings.read(
            "finalRefusals",
            means: "The vendor's own words for a refresh token that is dead: status, code and text together.",
            example: [
                [
                    "status": 200, "error": "bad_refresh_token",
                    "description": "The refresh token passed is incorrect or expired.",
                ]
            ], default: [])
        guard namesUsableDetails else {
            throw settings.mistake(
                "details", "Name at most sixteen members by their paths, such as team.id, and no token.")
        }
    }
}

/// Separators of scopes that a configuration may name: a character that no scope of such a server has.
package enum ScopeSeparator: String, Decodable, CaseIterable {
    case space = " "
    case comma = ","
    case semicolon = ";"
    case bar = "|"
}
