import Foundation

/// A session that another library has stored, for ``ProviderSessions/importSession(_:)``.
///
/// A provider reads it from that library's storage, without a request.
public struct ExternalSession: Sendable {
    /// Name of the library for logs, such as `AppAuth`.
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
    ///   - remove: removes the library's copy. Called after the session was stored; if it throws, or the process ends
    ///     first, it is called again at the next import.
    public init(
        source: String, account: String, credential: Credential, remove: @escaping @Sendable () async throws -> Void
    ) {
        self.source = source
        self.account = account
        self.credential = credential
        self.remove = remove
    }

    /// Placeholder for an access token that the library did not store. It expired ``longAgo``, so it is never used.
    package static let noAccessToken: Secret = "none"
    /// Issue and expiry date for an access token that must be refreshed before use.
    package static let longAgo = Date(timeIntervalSince1970: 0)
}

extension ExternalSession: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(self, showing: ["source": source, "account": account, "credential": credential])
    }
}

/// The result of importing a session that another library has stored.
public struct SessionImportResult: Sendable, Equatable {
    /// Outcome of the import.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The session was imported and is stored.
        case takenOver
        /// The store already has a session of the account, which is kept.
        case alreadySignedIn
        /// Somebody has signed out since, which takes precedence.
        case signedOut
        /// The session has ended: its token has expired and cannot be refreshed, or its backend ended it after an
        /// earlier import. It is neither stored nor removed.
        case ended
    }

    /// The account under which the session is stored.
    public let account: AccountID
    public let outcome: Outcome
    /// Whether the library's copy is removed. If it could not be removed, the next import tries again.
    public let isRemoved: Bool
}
