import IdentityKit

/// Counts of replayed authorization codes and refresh tokens, and of revoked token families.
protocol RevocationCounters: Sendable {
    var replays: Int { get set }
    var familiesRevoked: Int { get set }
}

/// A backend with clients, and with tokens that can be revoked.
protocol AuthorizationServerBackend: ServerBackend where Counters: RevocationCounters {
    associatedtype Client: EditableClient

    /// The clients of the configuration, with the changes made while the server ran. Clients that registered themselves are
    /// not included.
    var clients: ClientDirectory<Client> { get }
    var counters: Locked<Counters> { get }
    var families: TokenFamilies { get }
    var revokesFamilyOnReplay: Bool { get }
    var journal: TokenJournal { get }
    var time: TimeSource { get }

    /// The identifiers of the client and the user of a token family; `nil` if the server knows no token of the family.
    func owner(ofFamily id: String) -> (client: String, person: String)?
}

extension LocalServer where Backend: AuthorizationServerBackend {
    var clients: ClientDirectory<Backend.Client> { backend.clients }

    /// Changes clients and saves the state. Removing a client does not revoke its tokens.
    /// - Throws: an error if the state cannot be saved. The change takes effect nevertheless.
    func changeClients(_ body: (ClientDirectory<Backend.Client>) -> Void) throws {
        try core.change { body($0.clients) }
    }
}

extension AuthorizationServerBackend {
    var shownClients: [any EditableClient]? { clients.all }

    /// Revokes the tokens of one sign-in, and counts and records the revocation. No effect if the tokens were revoked
    /// before.
    /// - Parameter reason: the reason for the journal.
    func revokeFamily(_ id: String, because reason: String) {
        guard families.revokeFamily(id) else { return }
        counters.withLock { $0.familiesRevoked += 1 }
        note(.revoked, family: id, because: reason)
    }

    private func note(_ kind: LocalServerReport.TokenEvent.Kind, family id: String, because reason: String) {
        let owner = owner(ofFamily: id)
        journal.note(kind, at: time.now, client: owner?.client, person: owner?.person, reason: reason)
    }

    /// Revokes the tokens of all sign-ins of a user, and counts and records the revocations.
    /// - Parameter userID: the identifier of the user; `nil` for all users.
    func revokeFamilies(ofUser userID: String? = nil) {
        let revoked = families.revokeFamilies(ofUser: userID)
        counters.withLock { $0.familiesRevoked += revoked }
        guard revoked > 0 else { return }
        journal.note(
            .revoked, at: time.now, person: userID,
            reason: "everything of \(revoked == 1 ? "one sign-in" : "\(revoked) sign-ins") was revoked at the server")
    }

    /// Counts and records that a spent authorization code or refresh token was sent again, which may mean that it was
    /// stolen (RFC 9700 section 4.14.2). If the configuration demands it, the tokens of the sign-in are revoked.
    func noteReplay(ofFamily id: String) {
        counters.withLock { $0.replays += 1 }
        note(.replayed, family: id, because: "a code or refresh token was used a second time")
        if revokesFamilyOnReplay { revokeFamily(id, because: "a spent code or refresh token was used again") }
    }
}
