/// Names that a server returns for scopes, each with the scope's standard name. Google returns URLs for `email`
/// and `profile`.
private let scopeAliases = [
    "https://www.googleapis.com/auth/userinfo.email": "email",
    "https://www.googleapis.com/auth/userinfo.profile": "profile",
]

extension Sequence<String> {
    /// These scopes, and the standard name of each scope that the server returned under its own name, so that a caller
    /// who needs the standard name finds it. A server's own name is never added for a standard name, because the session's
    /// next step-up would then request the server's own name too.
    var withAliases: Set<String> { Set(self).union(compactMap { scopeAliases[$0] }) }
}
