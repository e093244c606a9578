import Foundation

/// How a server writes its token responses where that differs from RFC 6749 section 5.1.
///
/// What is only delivered otherwise, or has names like `accessToken`, needs no setting; see ``TokenEndpointResponse``. Nothing
/// else is guessed at a sign-in. A response to a refresh is used where that is possible; see ``ResponseFault``.
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
    /// The server's names of members, by those of the RFCs, such as `token` for `access_token`. Names like `accessToken` need
    /// none.
    public var names: [String: String] = [:]
    /// The members that an app needs beside the tokens, such as `instance_url`; `a.b` for a member of a member. They are
    /// looked for in the document, also where ``memberPath`` names a part of it, and kept as
    /// ``/IdentityKit/Credential/responseDetails``: at most sixteen, of them texts of up to 1 KiB, numbers, and true or
    /// false. A refresh replaces those that its response has. A token cannot be one.
    public var details: [String] = []
    /// What separates the granted scopes.
    public var scopeSeparator = " "
    /// Whether every access token is a bearer token, also when `token_type` is missing or another word.
    public var assumesBearer = false
    /// Whether `scope` is a list of texts instead of one text with separators.
    public var scopesAreList = false
    /// Whether an ID token is left unread, for servers that answer a request for `openid` with one that cannot be verified,
    /// such as without its nonce. Something else must then say who signed in, and no ID token proves that a code belongs to
    /// the sign-in that asked for it.
    public var ignoresIDToken = false

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
    private enum CodingKeys: String, CodingKey {
        case encoding, memberPath, names, details, scopeSeparator, assumesBearer, scopesAreList, ignoresIDToken
    }

    /// Reads the properties by their names, all of them optional.
    /// - Throws: `DecodingError`, also for ``details`` that cannot be kept.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        encoding = try container.decodeIfPresent(Encoding.self, forKey: .encoding) ?? .json
        memberPath = try container.decodeIfPresent(String.self, forKey: .memberPath)
        names = try container.decodeIfPresent([String: String].self, forKey: .names) ?? [:]
        details = try container.decodeIfPresent([String].self, forKey: .details) ?? []
        scopeSeparator = try container.decodeIfPresent(ScopeSeparator.self, forKey: .scopeSeparator)?.rawValue ?? " "
        assumesBearer = try container.decodeIfPresent(Bool.self, forKey: .assumesBearer) ?? false
        scopesAreList = try container.decodeIfPresent(Bool.self, forKey: .scopesAreList) ?? false
        ignoresIDToken = try container.decodeIfPresent(Bool.self, forKey: .ignoresIDToken) ?? false
        if let name = names.keys.first(where: { !TokenEndpointResponse.claimedMembers.contains($0) }) {
            throw DecodingError.dataCorruptedError(
                forKey: .names, in: container,
                debugDescription: "\(sanitized(name)) is no member of a token response, such as access_token.")
        }
        guard namesUsableDetails else {
            throw DecodingError.dataCorruptedError(
                forKey: .details, in: container,
                debugDescription: "Name at most sixteen members by their paths, such as team.id, and no token.")
        }
    }
}

/// What a configuration may have between scopes: a character that no scope of such a server has.
package enum ScopeSeparator: String, Decodable, CaseIterable {
    case space = " "
    case comma = ","
    case semicolon = ";"
    case bar = "|"
}
