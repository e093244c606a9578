import Foundation
import IdentityKit

extension OpenIDBehaviour {
    /// Returns the scopes to grant. `narrowedScope` removes the last scope other than `openid`, and `reorderedScope` reverses
    /// the order.
    func granted(_ scopes: [String]) -> [String] {
        var scopes = scopes
        if has(.narrowedScope), let last = scopes.lastIndex(where: { $0 != "openid" }) { scopes.remove(at: last) }
        if has(.reorderedScope) { scopes.reverse() }
        return scopes
    }

    /// Replaces `email` and `profile` in a space-separated list of scopes with Google's own names.
    private static func aliased(_ scope: String) -> String {
        scope.split(separator: " ").map { word in
            ["email", "profile"].contains(word) ? "https://www.googleapis.com/auth/userinfo.\(word)" : String(word)
        }.joined(separator: " ")
    }

    var scopeSeparator: Character { has(.commaSeparatedScopes) ? "," : " " }

    /// Applies variations, then token faults, then misbehaviours to the members of a token response.
    func spoil(_ members: inout [String: JSONValue], isRefreshed: Bool, at now: Date) {
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
        for fault in tokenFaults { Self.spoil(&members, by: fault, at: now) }
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

    private static func spoil(
        _ members: inout [String: JSONValue], by fault: LocalOpenIDConnectServer.TokenFault, at now: Date
    ) {
        /// Replaces `expires_in` by the member `name`. `value` converts the lifetime in seconds to the value of this member.
        func renameLifetime(_ name: String, _ value: (Int64) -> JSONValue) {
            members[name] = members.removeValue(forKey: "expires_in")?.integerValue.map(value)
        }
        let time = Int64(now.timeIntervalSince1970)
        switch fault {
        case .noTokenType: members["token_type"] = nil
        case .emptyTokenType: members["token_type"] = ""
        case .numericTokenType: members["token_type"] = 1
        case .unknownTokenType: members["token_type"] = "JWT"
        case .bearerTokenType: members["token_type"] = "Bearer"
        case .boundTokenType: members["token_type"] = "DPoP"
        case .inapplicableTokenType: members["token_type"] = "N_A"
        case .hostileAccessToken: members["access_token"] = "a\r\nX-Injected: 1"
        case .noAccessToken: members["access_token"] = nil
        case .numericRefreshToken: members["refresh_token"] = 7
        case .listedScope:
            let words = members["scope"]?.stringValue?.split(separator: " ").map { JSONValue.string(String($0)) }
            members["scope"] = words.map(JSONValue.array)
        case .scopeObject: members["scope"] = ["read": true]
        case .hostileScope: members["scope"] = "read \"write\""
        case .expiresAt: renameLifetime("expires_at") { .integer(time + $0) }
        case .expiresOn: renameLifetime("expires_on") { .string(String(time + $0)) }
        case .expiresAsTime: renameLifetime("expires") { .integer(time + $0) }
        case .expiresAsLifetime: renameLifetime("expires") { .integer($0) }
        case .listedLifetime: members["expires_in"] = [3600]
        case .refreshLifetimeAsWord: members["refresh_token_expires_in"] = "long"
        case .idTokenObject: members["id_token"] = ["token": "?"]
        case .numericIssuedTokenType: members["issued_token_type"] = 1
        case .labelledAsPage, .labelledAsText, .unlabelled, .formAsText, .camelCaseMembers, .created, .byteOrderMark,
            .repeatedAccessToken, .repeatedLifetime, .flatRefresh, .oddClaims, .issuedTenMinutesAhead:
            break
        }
    }
}
