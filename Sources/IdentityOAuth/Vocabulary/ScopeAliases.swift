/// The standard names of scopes that a server returns under names of its own: for `email` and `profile`, Google returns
/// addresses.
private let scopeAliases = [
    "https://www.googleapis.com/auth/userinfo.email": "email",
    "https://www.googleapis.com/auth/userinfo.profile": "profile",
]

extension Sequence<String> {
    /// The granted scopes and the standard names of those that have one, so that a request by standard name finds them.
    /// The server's own names are never added, because a step-up requests all scopes of the session again.
    var withAliases: Set<String> { Set(self).union(compactMap { scopeAliases[$0] }) }
}
