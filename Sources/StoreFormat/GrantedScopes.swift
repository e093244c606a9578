/// What a token's scopes are good for.
package enum GrantedScopes {
    /// Whether a token with the scopes `granted` will do where `wanted` are asked for. A backend without scopes grants none
    /// and refuses none.
    @inlinable
    package static func suffice<Scopes: Collection<String>>(_ granted: Scopes, for wanted: Scopes) -> Bool {
        wanted.isEmpty || granted.isEmpty || wanted.allSatisfy(granted.contains)
    }
}
