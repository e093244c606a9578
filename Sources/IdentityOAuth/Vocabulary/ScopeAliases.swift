/// Names that a server returns for scopes, each with the scope's standard name. Google returns URLs for `email`
/// and `profile`.
private let scopeAliases = [
    "https://www.googleapis.com/auth/userinfo.email": "email",
    "https://www.googleapis.com/auth/userinfo.profile": "profile",
]

extension Sequence<String> {
    /// The scopes, and also the standard name of each scope that the server returned under a name of its own. A caller can then
    /// look for the standard name. A standard name does not get the server's own name added, because the session's next request
    /// for further scopes would then contain that name too.
    var withAliases: Set<String> { Set(self).union(compactMap { scopeAliases[$0] }) }
}
