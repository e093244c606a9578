/// Where a session comes from: the type of the provider that began it, the backend that granted its tokens and the client
/// they were granted to. Its tokens mean nothing anywhere else and are sent nowhere else.
///
/// A configuration may change while sessions are stored. Those of another origin are kept as they are: they count as
/// absent, with a reason that says where they belong, and are there again when their configuration is.
public struct SessionOrigin: Sendable, Equatable {
    /// The base URL of the backend.
    public let backend: String
    /// Who asks there; `nil` for whoever it is.
    private let asker: Asker?

    private struct Asker: Sendable, Equatable {
        let type: String
        let clientID: String?
    }

    /// The origin of the sessions that a provider begins.
    /// - Parameters:
    ///   - type: the provider's type, ``ProviderPlugin/type``.
    ///   - backend: the base URL of its backend, as ``Credential/backend`` has it.
    ///   - clientID: the client identifier (RFC 6749 section 2.2); `nil` for a backend that has no such notion.
    public init(type: String, backend: String, clientID: String? = nil) {
        self.backend = backend
        asker = Asker(type: type, clientID: clientID)
    }

    private init(backend: String) {
        self.backend = backend
        asker = nil
    }

    /// Whatever provider began a session at `backend`, for whatever client: for one that uses the sessions of another
    /// program and speaks with no server. What it stores names no provider type.
    public static func anyone(at backend: String) -> SessionOrigin { SessionOrigin(backend: backend) }

    // MARK: Whose session it is

    /// Whether a session with `credential` is of this origin. Earlier versions stored no provider type, and not everybody
    /// a client: what a record does not say is not compared.
    func owns(_ credential: Credential) -> Bool { foreignParts(of: credential).isEmpty }

    /// Why a session with `credential` is not to be used, and what to do; `nil` when it is of this origin.
    func objection(to credential: Credential) -> SessionEndReason? {
        let parts = foreignParts(of: credential)
        guard !parts.isEmpty else { return nil }
        let client = credential.clientID.map { "client \"\($0)\" of " } ?? ""
        let type = credential.providerType.map { "a provider of type \"\($0)\" at " } ?? ""
        return SessionEndReason(
            "It belongs to \(client)\(type)\(credential.backend.addressAlone), and here "
                + "\(parts.joined(separator: " and ")) is configured. It is kept, and can be used when its own "
                + "configuration is back.",
            isKept: true)
    }

    /// What this origin has in the place of what `credential` says otherwise.
    private func foreignParts(of credential: Credential) -> [String] {
        var parts: [String] = []
        if !credential.backend.hasBytes(of: backend) { parts.append(backend.addressAlone) }
        guard let asker else { return parts }
        if let type = credential.providerType, !type.hasBytes(of: asker.type) { parts.append("type \"\(asker.type)\"") }
        if let clientID = credential.clientID, asker.clientID?.hasBytes(of: clientID) != true {
            parts.append(asker.clientID.map { "client \"\($0)\"" } ?? "no client")
        }
        return parts
    }

    // MARK: What is written

    /// `credential` as it is stored: with what the next reader compares.
    func claiming(_ credential: Credential) -> Credential {
        guard let asker else { return credential }
        var claimed = credential
        claimed.providerType = asker.type
        claimed.clientID = credential.clientID ?? asker.clientID
        return claimed
    }

    /// `answer` with a credential as it is stored.
    func claiming(_ answer: RefreshResult) -> RefreshResult {
        guard case .refreshed(let credential, let dropped) = answer else { return answer }
        return .refreshed(claiming(credential), dropping: dropped)
    }
}

/// A session was ended here, and its tokens were shown to nobody: only the configuration it belongs to can revoke them.
struct ForeignSessionError: IdentityFailure, Equatable {
    let account: AccountID
    /// Where it belongs.
    let reason: String

    /// `foreign_session_ended`
    let failureCode = "foreign_session_ended"
    let failureClass = FailureClass.definitive

    var message: String {
        "The session of \(account) is another configuration's, so nobody could revoke its tokens. \(reason)"
    }
}

extension SessionOrigin: CustomReflectable {
    /// Shows the backend without what must not be shown of an address.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "backend": backend.addressAlone,
                "type": asker?.type as Any,
                "clientID": asker?.clientID as Any,
            ])
    }
}
