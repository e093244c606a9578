import Foundation
import IdentityKit

/// The deviations of a server's token responses from RFC 6749 section 5.1.
///
/// No setting is needed for a successful status other than 200, a wrong content type, a byte order mark, and names like
/// `accessToken`. An invalid lifetime counts as absent. At a sign-in, any other deviation is an error unless a property of this
/// type allows it. At a refresh, the deviations in `ResponseFault` are tolerated as well.
public struct TokenResponseFormat: Sendable, Hashable {
    /// The encoding of the members in the body of a token response.
    public enum Encoding: String, Sendable, Codable, CaseIterable {
        /// A JSON object, as RFC 6749 section 5.1 prescribes.
        case json
        /// A form with any content type. A form with the type `application/x-www-form-urlencoded` or `text/plain` is read
        /// even without this setting.
        case form
    }

    /// The encoding of the members in the body, by default JSON.
    public var encoding = Encoding.json
    /// The path of the member that contains the token response, such as `authed_user`, or `a.b` for a nested member; `nil`
    /// if the document itself is the token response. In the response to a refresh, the document is used if that member has
    /// no access token.
    public var memberPath: String?
    /// The server's names for members, with the RFC's names as keys, such as `token` for the key `access_token`. The key
    /// `error` is for the error code of a refusal. Names like `accessToken` need no entry.
    public var names: [String: String] = [:]
    /// The paths of additional members that the app needs, such as `instance_url`, or `a.b` for a nested member. The paths
    /// begin at the document, even if ``memberPath`` is set. The values are kept as
    /// ``/IdentityKit/Credential/responseDetails``: at most sixteen, each a text of up to 1 KiB, a number or a Boolean. A
    /// refresh replaces the values that its response contains. A path that names a token is an error in a configuration, and
    /// is ignored if it is set in code.
    public var details: [String] = []
    /// The separator of the scopes in a response's `scope`, by default a space. If it is empty, the text is a single scope.
    public var scopeSeparator = " "
    /// Whether every access token counts as a bearer token, even if `token_type` is absent or has another value.
    public var assumesBearer = false
    /// Whether `scope` is a list of texts instead of one text with separators. At a sign-in, the other form is an error.
    public var scopesAreList = false
    /// Whether to ignore ID tokens, for servers whose ID tokens cannot be verified, for example because they lack the `nonce`.
    /// The account's identity must then come from another source. Without an ID token, no `nonce` proves that an authorization
    /// code belongs to this sign-in.
    public var ignoresIDToken = false

    /// The vendor's responses to an expired or revoked refresh token. They end a session as `invalid_grant` does.
    public var finalRefusals: [FinalRefusal] = []

    /// Creates a format without deviations from RFC 6749.
    public init() {}

    /// Returns the scopes in `text`, split at ``scopeSeparator``, without surrounding white space and without empty scopes.
    func scopes(in text: String) -> [String] {
        guard !scopeSeparator.isEmpty else { return [text] }
        return text.components(separatedBy: scopeSeparator)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}

extension TokenResponseFormat: Decodable {
    /// Reads the settings that are named like the properties. Each of them is optional.
    /// - Throws: ``/IdentityKit/ConfigurationError``, also for a path in ``details`` that is too long or names a token, and
    ///   for more than sixteen paths.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        encoding = try settings.read(
            "encoding", means: "How the server writes token responses.", example: "form", default: "json")
        try readMembers(from: settings)
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

    /// Reads the paths and names of members.
    private mutating func readMembers(from settings: SettingsReader) throws {
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
    }
}

/// The separators of scopes that a configuration may choose.
package enum ScopeSeparator: String, Decodable, CaseIterable {
    case space = " "
    case comma = ","
    case semicolon = ";"
    case bar = "|"
}
