/// Compares the scopes of a token.
package enum GrantedScopes {
    /// Whether a token with the scopes `granted` has all that are `wanted`. If no scopes are granted, the backend has
    /// none, and any scope is accepted.
    @inlinable
    package static func suffice<Scopes: Collection<String>>(_ granted: Scopes, for wanted: Scopes) -> Bool {
        wanted.isEmpty || granted.isEmpty || wanted.allSatisfy(granted.contains)
    }
}
