extension Credential {
    /// Returns this credential, the response to a request for more scopes, as the successor of `previous` in the same
    /// session.
    ///
    /// Many servers send no new refresh token, because the previous one stays valid. The session then keeps the previous
    /// refresh token, and the date of its end. If the response lacks an ID token, values of the profile or a vendor's grant,
    /// the session keeps those of `previous`.
    ///
    /// Read `previous` from the store after the response, because it may have been refreshed during the sign-in.
    /// - Parameter previous: the session to step up. Nothing is kept from a session of another backend or client.
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
        // A withdrawn consent still ends the session that the vendor's token began.
        next.keepNativeGrant(of: previous)
        next.unknownMembers = previous.unknownMembers.merging(unknownMembers) { _, new in new }
        return next
    }

    /// Whether this credential belongs to the client of `previous`, or names no client.
    private func isOfClient(of previous: Credential) -> Bool {
        clientID.map { previous.clientID?.hasBytes(of: $0) == true } ?? true
    }
}
