import IdentityKit

extension TokenResponseFormat {
    /// Returns the members of a token response under the names of the RFCs. A member with the server's own name in ``names``,
    /// or with a name like `accessToken`, is renamed. If a member with the RFC's name is present too, its value is used, unless
    /// it is `null`.
    func standardNames(of members: [String: JSONValue]) -> [String: JSONValue] {
        TokenEndpointResponse.claimedMembers.reduce(into: members) { members, name in
            for other in [names[name], Self.camelCase(name)].compactMap({ $0 }) where other != name {
                guard let value = members.removeValue(forKey: other) else { continue }
                if members[name] ?? .null == .null { members[name] = value }
            }
        }
    }

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(String(words[0])) { $0 + $1.capitalized }
    }
}

/// The probable place of the access token in a document that has no `access_token`. The place is used only in an error message,
/// because a guess must not decide who signs in.
struct TokenPlace {
    /// The path of the object that contains the token; `nil` for the document itself.
    let path: String?
    let name: String

    /// The names that servers use for the access token, in lower case and reduced to letters: `auth_token` as
    /// `authtoken`.
    private static let names: Set = [
        "token", "accesstoken", "authtoken", "bearertoken", "sessiontoken", "oauthtoken", "jwt", "jwttoken",
    ]

    /// Finds an access token by its name, in the document or in an object at most three levels below. An object is searched
    /// before the objects inside of it. Of several matching names in an object, the longest wins. Returns `nil` if no name
    /// matches.
    init?(in document: [String: JSONValue]) {
        guard let found = Self.find(in: document, at: []) else { return nil }
        path = found.path.isEmpty ? nil : found.path.joined(separator: ".")
        name = found.name
    }

    private static func find(in members: [String: JSONValue], at path: [String]) -> (path: [String], name: String)? {
        let texts = members.filter { $0.value.stringValue?.isEmpty == false }.keys
        let known = texts.filter { names.contains($0.lowercased().filter(\.isLetter)) }.sorted { $0.count > $1.count }
        if let name = known.first { return (path, name) }
        guard path.count < 3 else { return nil }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if let inner = value.objectValue, let found = find(in: inner, at: path + [name]) { return found }
        }
        return nil
    }
}
