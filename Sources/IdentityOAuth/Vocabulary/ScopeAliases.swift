/// The standard names of scopes, by the names that a server returns instead. Google returns URLs for `email` and
/// `profile`.
private let scopeAliases = [
    "https://www.googleapis.com/auth/userinfo.email": "email",
    "https://www.googleapis.com/auth/userinfo.profile": "profile",
]

extension Sequence<String> {
    /// These scopes, and the standard name of each scope that the server returned under its own name, so that a caller
    /// who needs the standard name finds it. A server's own name is never added for a standard name, because a step-up
    /// requests all scopes of the session again.
    var withAliases: Set<String> { Set(self).union(compactMap { scopeAliases[$0] }) }
}
