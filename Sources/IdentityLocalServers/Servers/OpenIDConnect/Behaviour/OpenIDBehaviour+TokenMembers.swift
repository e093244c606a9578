import IdentityKit

extension OpenIDBehaviour {
    /// The scopes a server that behaves like this grants of those it should.
    func granted(_ scopes: [String]) -> [String] {
        var scopes = scopes
        if has(.narrowedScope), let last = scopes.lastIndex(where: { $0 != "openid" }) { scopes.remove(at: last) }
        if has(.reorderedScope) { scopes.reverse() }
        return scopes
    }

    /// The scopes as Google names them.
    private static func aliased(_ scope: String) -> String {
        scope.split(separator: " ").map { word in
            ["email", "profile"].contains(word) ? "https://www.googleapis.com/auth/userinfo.\(word)" : String(word)
        }.joined(separator: " ")
    }

    /// What separates scopes.
    var scopeSeparator: Character { has(.commaSeparatedScopes) ? "," : " " }

    /// Changes the members of a token response as the behaviour says.
    func spoil(_ members: inout [String: JSONValue], isRefreshed: Bool) {
        for variation in variations {
            switch variation {
            case .lowercaseTokenType:
                members["token_type"] = members["token_type"]?.stringValue.map { .string($0.lowercased()) }
            case .noScope: members["scope"] = nil
            case .noLifetime: members["expires_in"] = nil
            case .lifetimeAsText:
                members["expires_in"] = members["expires_in"]?.integerValue.map { .string(String($0)) }
            case .lifetimeAsWord: members["expires_in"] = "soon"
            case .absurdLifetime: members["expires_in"] = 1e300
            case .noFirstRefreshToken where !isRefreshed: members["refresh_token"] = nil
            case .aliasedScope: members["scope"] = members["scope"]?.stringValue.map { .string(Self.aliased($0)) }
            case .noRefreshedIDToken where isRefreshed: members["id_token"] = nil
            case .commaSeparatedScopes:
                members["scope"] = members["scope"]?.stringValue
                    .map { .string($0.split(separator: " ").joined(separator: ",")) }
            case .listedScopes:
                members["scope"] = members["scope"]?.stringValue
                    .map { .array($0.split(separator: " ").map { .string(String($0)) }) }
            case .extraTokenMembers:
                members["example_parameter"] = ["nested": [1, nil, "x"]]
                members["not_before_policy"] = 0
            default: break
            }
        }
        for misbehaviour in misbehaviours {
            switch misbehaviour {
            case .missingAccessToken: members["access_token"] = nil
            case .missingTokenType: members["token_type"] = nil
            case .unknownTokenType: members["token_type"] = "mac"
            case .missingIDToken: members["id_token"] = nil
            default: break
            }
        }
    }
}
