import Foundation
import IdentityKit

/// The deviations of a server's token responses from RFC 6749 section 5.1.
///
/// A wrong status or content type, or names like `accessToken`, need no setting; see `TokenEndpointResponse`. No other
/// deviation is guessed at a sign-in. A refresh uses whatever it can; see `ResponseFault`.
public struct TokenResponseFormat: Sendable, Hashable {
    /// How the members are encoded.
    public enum Encoding: String, Sendable, Codable, CaseIterable {
        /// A JSON object, as in the RFC.
        case json
        /// `application/x-www-form-urlencoded` with any content type. A form with the right type or `text/plain` is
        /// read without this setting.
        case form
    }

    /// How the members are encoded.
    public var encoding = Encoding.json
    /// The member that contains the token response, such as `authed_user`; `a.b` for a nested member. `nil` for the
    /// document itself, which is also searched at a refresh if that member has no tokens.
    public var memberPath: String?
    /// The server's names for members, by the RFC's names, such as `token` for `access_token`; also for the `error` of
    /// a refusal. Names like `accessToken` need no entry.
    public var names: [String: String] = [:]
    /// Additional members that the app needs, such as `instance_url`; `a.b` for a nested member. They are looked up in
    /// the whole document, even if ``memberPath`` names a part, and kept as
    /// ``/IdentityKit/Credential/responseDetails``: at most sixteen, each a text of up to 1 KiB, a number or a Boolean.
    /// A refresh replaces those that its response has. Tokens are refused.
    public var details: [String] = []
    /// The separator of the granted scopes.
    public var scopeSeparator = " "
    /// Whether every access token counts as a bearer token, even if `token_type` is absent or has another value.
    public var assumesBearer = false
    /// Whether `scope` is a list of texts instead of one text with separators.
    public var scopesAreList = false
    /// Whether to ignore ID tokens, for servers whose ID tokens cannot be verified, for example because they lack the
    /// nonce. The account's identity must then come from elsewhere, and no ID token proves that a code belongs to this
    /// sign-in.
    public var ignoresIDToken = false

    /// The vendor's own ways to say that a refresh token is dead, which end a session like `invalid_grant`.
    public var finalRefusals: [FinalRefusal] = []

    /// A format without deviations from the RFC.
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

/// Separators of scopes that a configuration may name; none of them occurs within a scope.
package enum ScopeSeparator: String, Decodable, CaseIterable {
    case space = " "
    case comma = ","
    case semicolon = ";"
    case bar = "|"
}
