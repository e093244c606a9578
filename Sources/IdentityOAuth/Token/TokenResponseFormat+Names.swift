import IdentityKit

extension TokenResponseFormat {
    /// The members of a token response under the names of the RFCs, also for servers with their own ``names`` or with
    /// `accessToken` for `access_token`. The RFC's name takes precedence if both are present.
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

/// Finds an access token in an unexpected place of a document. Only an error mentions the place: a guess should not
/// decide who signs in.
struct TokenPlace {
    /// The path of the object with the token; `nil` for the document itself.
    let path: String?
    let name: String

    /// Names that servers give the access token, in lower case and without separators.
    private static let names: Set = [
        "token", "accesstoken", "authtoken", "bearertoken", "sessiontoken", "oauthtoken", "jwt", "jwttoken",
    ]

    /// Finds the first access token; `nil` if the document has none.
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
