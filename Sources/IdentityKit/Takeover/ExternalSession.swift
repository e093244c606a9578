import Foundation

/// A session that another library has kept, for ``ProviderSessions/importSession(_:)``.
///
/// A provider reads it from where that library keeps it, without a request.
public struct ExternalSession: Sendable {
    /// The library, for logs, such as `AppAuth`.
    public let source: String
    /// The backend's identifier of the person, as ``/IdentityCore/AccountID/account`` has it.
    public let account: String
    /// The tokens, and the backend and client that they belong to.
    public let credential: Credential
    let remove: @Sendable () async throws -> Void

    /// A session of another library.
    /// - Parameters:
    ///   - source: the library, for logs.
    ///   - account: the backend's identifier of the person.
    ///   - credential: its tokens.
    ///   - remove: removes what the library has kept. It is called once the session is stored here, and again at the next
    ///     takeover when it throws, or when the process ends before it was called.
    public init(
        source: String, account: String, credential: Credential, remove: @escaping @Sendable () async throws -> Void
    ) {
        self.source = source
        self.account = account
        self.credential = credential
        self.remove = remove
    }

    /// Stands in for an access token that was not kept. It has expired ``longAgo``, so that it is never handed out.
    package static let noAccessToken: Secret = "none"
    /// When an access token counts as issued and expired that has to be refreshed before it is used.
    package static let longAgo = Date(timeIntervalSince1970: 0)
}

extension ExternalSession: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, showing: ["source": source, "account": account, "credential": credential])
    }
}

/// The result of taking over a session that another library has kept.
public struct SessionImportResult: Sendable, Equatable {
    /// Whether the session is stored here now, and the reason where it is not.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The session is stored here now.
        case takenOver
        /// There is a session here already, which is kept.
        case alreadySignedIn
        /// Somebody signed out here, which is newer.
        case signedOut
        /// The session has ended: its token has expired, and nothing can refresh it, or its backend has ended it here
        /// after an earlier takeover. It is not stored, and not removed.
        case ended
    }

    /// The account that it belongs to here.
    public let account: AccountID
    public let outcome: Outcome
    /// Whether the library's copy is gone. Where it could not be removed, the next takeover tries again.
    public let isRemoved: Bool
}
