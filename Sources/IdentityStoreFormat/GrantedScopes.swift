/// Compares the scopes of a token with those that a caller needs.
package enum GrantedScopes {
    /// Whether a token with the scopes `granted` has all that are `wanted`. An empty `granted` means that the backend
    /// does not use scopes, so the token suffices.
    @inlinable
    package static func suffice<Scopes: Collection<String>>(_ granted: Scopes, for wanted: Scopes) -> Bool {
        wanted.isEmpty || granted.isEmpty || wanted.allSatisfy(granted.contains)
    }
}
