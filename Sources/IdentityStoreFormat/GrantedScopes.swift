/// Compares the scopes of a token.
package enum GrantedScopes {
    /// Whether a token with the scopes `granted` has those that are `wanted`. Without granted scopes it has all, because the
    /// backend has no scopes.
    @inlinable
    package static func suffice<Scopes: Collection<String>>(_ granted: Scopes, for wanted: Scopes) -> Bool {
        wanted.isEmpty || granted.isEmpty || wanted.allSatisfy(granted.contains)
    }
}
