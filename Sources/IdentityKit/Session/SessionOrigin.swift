/// The origin of a session: the type of the provider that began it, the backend that issued its tokens and the client
/// they were issued to. Tokens of a session are sent nowhere else.
///
/// A configuration may change while sessions are stored. A session of another origin is kept unchanged and counts as
/// absent, with a reason that says where it belongs. It can be used again when its configuration is restored.
public struct SessionOrigin: Sendable, Equatable {
    /// The base URL of the backend.
    public let backend: String
    /// The provider type and client; `nil` for any.
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
    ///   - backend: the base URL of its backend, as ``Credential/backend`` has it.
    ///   - clientID: the client identifier (RFC 6749 section 2.2); `nil` for a backend that has no such notion.
    public init(type: String, backend: String, clientID: String? = nil) {
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

    /// Any session at `backend`, whatever its provider type and client: for a provider that uses the sessions of another
    /// program and sends no requests. The sessions that it stores name no provider type.
    public static func anyone(at backend: String) -> SessionOrigin { SessionOrigin(backend: backend) }

    /// The sessions of a provider whose client registers itself, and so may have another identifier tomorrow. Each session
    /// names its own.
    package static func anyClient(ofType type: String, at backend: String) -> SessionOrigin {
        SessionOrigin(type: type, ofAnyClientAt: backend)
    }

    // MARK: Comparing

    /// Whether a session with `credential` is of this origin. A provider type or client that the credential does not
    /// name, as with ``anyone(at:)``, is not compared.
    func owns(_ credential: Credential) -> Bool { foreignParts(of: credential).isEmpty }

    /// Why a session with `credential` cannot be used, and what to do; `nil` when it is of this origin.
    func objection(to credential: Credential) -> String? {
        otherOrigin(of: credential).map { "It \($0). It is kept, and can be used when its own configuration is back." }
    }

    /// End of a sentence that names where a session with `credential` belongs; `nil` when it is of this origin.
    func otherOrigin(of credential: Credential) -> String? {
        let parts = foreignParts(of: credential)
        guard !parts.isEmpty else { return nil }
        let client = credential.clientID.map { "client \"\($0)\" of " } ?? ""
        let type = credential.providerType.map { "a provider of type \"\($0)\" at " } ?? ""
        return "belongs to \(client)\(type)\(credential.backend.addressAlone), and here "
            + "\(parts.joined(separator: " and ")) is configured"
    }

    /// The parts of this origin that differ from those of `credential`.
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

    /// `credential`, marked with the provider type and the client of this origin.
    func claiming(_ credential: Credential) -> Credential {
        guard let party else { return credential }
        var claimed = credential
        claimed.providerType = party.type
        claimed.clientID = credential.clientID ?? party.clientID
        return claimed
    }

    /// `result`, with its credential marked with the provider type and the client of this origin.
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

/// A session was ended without revoking its tokens, which only the configuration that it belongs to can do.
struct ForeignSessionError: IdentityFailure, Equatable {
    let account: AccountID
    /// End of a sentence that names where the session belongs.
    let otherOrigin: String
    let failureCode = "foreign_session_ended"
    let failureClass = FailureClass.definitive

    var message: String {
        "The session with \(account.realm) \(otherOrigin)."
    }
}

extension SessionOrigin: CustomReflectable {
    /// Shows the backend's address without user name, password, query and fragment.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "backend": backend.addressAlone,
                "type": party?.type as Any,
                "clientID": party?.clientID as Any,
            ])
    }
}
