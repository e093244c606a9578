extension Credential {
    /// Makes this credential, the response to a request for more scopes, the successor of `previous` in the same
    /// session.
    ///
    /// Many servers send no new refresh token, because the old one stays valid (RFC 6749 section 6). The old one is
    /// then kept, with the end of its session, and so are the ID token and the profile that the response does not have.
    ///
    /// Read `previous` from the store after the response, because it may have been refreshed during the sign-in.
    /// - Parameter previous: the session to step up. A session of another backend or client is ignored.
    package func steppingUp(_ previous: Credential) -> Credential {
        guard backend.hasBytes(of: previous.backend), isOfClient(of: previous) else { return self }
        var next = self
        if refreshToken == nil, previous.refreshToken != nil {
            next.refreshToken = previous.refreshToken
            next.sessionEndsAt = previous.sessionEndsAt
            next.proofKey = proofKey ?? previous.proofKey
        }
        next.idToken = idToken ?? previous.idToken
        next.profile = profile.completed(with: previous.profile)
        next.unknownMembers = previous.unknownMembers.merging(unknownMembers) { _, new in new }
        return next
    }

    /// Whether both clients are the same, or one is still unknown.
    private func isOfClient(of previous: Credential) -> Bool {
        clientID.map { previous.clientID?.hasBytes(of: $0) == true } ?? true
    }
}
