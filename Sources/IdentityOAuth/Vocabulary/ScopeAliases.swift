/// Names that a server returns for scopes, each with the scope's standard name. Google returns URLs for `email`
/// and `profile`.
private let scopeAliases = [
    "https://www.googleapis.com/auth/userinfo.email": "email",
    "https://www.googleapis.com/auth/userinfo.profile": "profile",
]

extension Sequence<String> {
    /// The scopes, and also the standard name of each scope that the server returned under a name of its own. A caller can then
    /// look for the standard name. The server's own name is not added for a standard name, because the session's next request
    /// for further scopes would then contain both names.
    var withAliases: Set<String> { Set(self).union(compactMap { scopeAliases[$0] }) }
}
