/// The origin of a session: the type of the provider that began it, the backend that issued its tokens, and the client
/// they were issued to. Tokens of a session are sent only to a backend of the same origin.
///
/// A configuration may change while sessions are stored. A session of another origin counts as absent, with a reason that
/// names its origin, but stays stored until a sign-in or a sign-out. It can be used again when its configuration is
/// restored.
package struct SessionOrigin: Sendable, Equatable {
    /// The backend's identifier: an issuer, the base URL of a server, or a resource.
    package let backend: String
    /// The provider type and client; `nil` for an origin of any provider type and client.
    private let party: Party?

    private struct Party: Sendable, Equatable {
        let type: String
        let clientID: String?
        /// Whether sessions of every client belong to this origin, because the client registers itself.
        var isAnyClient = false
    }

    /// The origin of the sessions that a provider begins.
    /// - Parameters:
    ///   - type: the provider's type, ``ProviderPlugin/type``.
    ///   - backend: the identifier of its backend, such as the base URL. It has the same bytes as
    ///     ``Credential/backend``.
    ///   - clientID: the client identifier (RFC 6749 section 2.2); `nil` for a backend without clients.
    package init(type: String, backend: String, clientID: String? = nil) {
        self.backend = backend
        party = Party(type: type, clientID: clientID)
    }

    private init(type: String, ofAnyClientAt backend: String) {
        self.backend = backend
        party = Party(type: type, clientID: nil, isAnyClient: true)
    }

    private init(backend: String) {
        self.backend = backend
        party = nil
    }

    /// The origin of all sessions at `backend`, whatever their provider type and client. It is for a provider that uses the
    /// sessions of another program and sends no requests. The sessions that such a provider stores name no provider type.
    package static func anyone(at backend: String) -> SessionOrigin { SessionOrigin(backend: backend) }

    /// The origin of the sessions of a provider whose client registers itself, so that its client identifier may change.
    /// Each session stores the identifier of the client that its tokens were issued to.
    package static func anyClient(ofType type: String, at backend: String) -> SessionOrigin {
        SessionOrigin(type: type, ofAnyClientAt: backend)
    }

    // MARK: Comparing

    /// Whether a session with `credential` is of this origin. The provider type and the client are each compared only if the
    /// credential names one. An origin from ``anyone(at:)`` compares neither, and one from ``anyClient(ofType:at:)`` does not
    /// compare the client.
    func owns(_ credential: Credential) -> Bool { foreignParts(of: credential).isEmpty }

    /// Message that a session with `credential` cannot be used, and why; `nil` when it is of this origin.
    func objection(to credential: Credential) -> String? {
        otherOrigin(of: credential).map { "It \($0). It is kept, and can be used when its own configuration is back." }
    }

    /// End of a sentence about a session with `credential`. The text names the origin of that session and this origin;
    /// `nil` when both are the same.
    func otherOrigin(of credential: Credential) -> String? {
        let parts = foreignParts(of: credential)
        guard !parts.isEmpty else { return nil }
        let client = credential.clientID.map { "client \"\($0)\" of " } ?? ""
        let type = credential.providerType.map { "a provider of type \"\($0)\" at " } ?? ""
        return "belongs to \(client)\(type)\(credential.backend.addressAlone), and here "
            + "\(parts.joined(separator: " and ")) is configured"
    }

    /// The backend, type and client of this origin, as far as they differ from those of `credential`, in words for a
    /// message.
    private func foreignParts(of credential: Credential) -> [String] {
        var parts: [String] = []
        if !credential.backend.hasBytes(of: backend) { parts.append(backend.addressAlone) }
        guard let party else { return parts }
        if let type = credential.providerType, !type.hasBytes(of: party.type) { parts.append("type \"\(party.type)\"") }
        if !party.isAnyClient, let clientID = credential.clientID, party.clientID?.hasBytes(of: clientID) != true {
            parts.append(party.clientID.map { "client \"\($0)\"" } ?? "no client")
        }
        return parts
    }

    // MARK: Storing

    /// Returns `credential` with the provider type of this origin, and with its client unless `credential` names one.
    /// An origin from ``anyone(at:)`` leaves `credential` unchanged.
    func claiming(_ credential: Credential) -> Credential {
        guard let party else { return credential }
        var claimed = credential
        claimed.providerType = party.type
        claimed.clientID = credential.clientID ?? party.clientID
        return claimed
    }

    /// Returns `result` with the provider type of this origin in its credential, and with the client of this origin
    /// unless the credential names one. A result without a credential is returned unchanged.
    func claiming(_ result: RefreshResult) -> RefreshResult {
        switch result {
        case .refreshed(let credential, let dropped, let faults):
            .refreshed(claiming(credential), dropping: dropped, faults: faults)
        case .unusable(let credential, let error): .unusable(claiming(credential), error)
        case .refused, .personNeeded, .ambiguous, .misconfigured, .stepUpNeeded, .clientUnknown, .unreadable, .notSent,
            .unspent:
            result
        }
    }
}

/// A session of another origin was ended, but its tokens were not revoked, because only the configuration of that origin
/// can revoke them.
struct ForeignSessionError: StatedFailure, Equatable {
    let account: AccountID
    /// End of a sentence about the session, from ``SessionOrigin/otherOrigin(of:)``.
    let otherOrigin: String

    var facts: FailureFacts {
        .definitive("foreign_session_ended", "The session with \(account.realm) \(otherOrigin).")
    }
}

extension SessionOrigin: Reticent {
    /// Shows the type, the client, and the backend's address without user name, password, query and fragment.
    package var shown: KeyValuePairs<String, Any> {
        [
            "backend": backend.addressAlone,
            "type": party?.type as Any,
            "clientID": party?.clientID as Any,
        ]
    }
}
