/// The standard names of scopes that a server grants under names of its own: Google returns addresses for `email` and
/// `profile`.
private let scopeAliases = [
    "https://www.googleapis.com/auth/userinfo.email": "email",
    "https://www.googleapis.com/auth/userinfo.profile": "profile",
]

extension Sequence<String> {
    /// Adds to granted scopes the standard names of those that have another one, by which they are asked for. No
    /// server's own name is added: the scopes of a session are asked for again at a step up.
    var withAliases: Set<String> { Set(self).union(compactMap { scopeAliases[$0] }) }
}
