extension Credential {
    /// This credential, the answer to a request for more scopes, as the next one of the session `previous`.
    ///
    /// Many servers send no refresh token with it, because the one there is goes on working (RFC 6749 section 6): it is
    /// kept, with the end of the session it belongs to. So are the ID token and what is known of the person, where the
    /// answer does not bring its own.
    ///
    /// Read `previous` from the store when the answer is there, not before the person was asked: meanwhile its refresh
    /// token may have been refreshed.
    /// - Parameter previous: the session that is stepped up. One of another backend or client lends nothing.
    package func steppingUp(_ previous: Credential) -> Credential {
        guard backend.hasBytes(of: previous.backend), isOfClient(of: previous) else { return self }
        var next = self
        if refreshToken == nil, previous.refreshToken != nil {
            next.refreshToken = previous.refreshToken
            next.sessionEndsAt = previous.sessionEndsAt
        }
        next.idToken = idToken ?? previous.idToken
        next.profile = profile.completed(with: previous.profile)
        next.unknownMembers = previous.unknownMembers.merging(unknownMembers) { _, new in new }
        return next
    }

    /// A new answer may say nothing of its client, which is then stored with it.
    private func isOfClient(of previous: Credential) -> Bool {
        clientID.map { previous.clientID?.hasBytes(of: $0) == true } ?? true
    }
}
