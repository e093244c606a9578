import Foundation

/// A session that another library has stored, for ``ProviderSessions/importSession(_:)``.
///
/// A provider reads it from that library's storage, without a request.
public struct ExternalSession: Sendable {
    package let source: String
    package let account: String
    package let credential: Credential
    let remove: @Sendable () async throws -> Void

    /// Creates a session from the values that another library has stored.
    /// - Parameters:
    ///   - source: the name of the library for logs, such as `AppAuth`.
    ///   - account: the backend's identifier of the person, as ``/IdentityCore/AccountID/account`` has it.
    ///   - credential: the tokens, and the backend and client that they belong to.
    ///   - remove: removes the library's copy. The import calls it once the session is stored, or when the account
    ///     already has a session or has signed out. If it throws, or the process ends first, the next import calls it
    ///     again.
    public init(
        source: String, account: String, credential: Credential, remove: @escaping @Sendable () async throws -> Void
    ) {
        self.source = source
        self.account = account
        self.credential = credential
        self.remove = remove
    }

    /// Placeholder for an access token that the library did not store. Its expiry date is ``longAgo``, so the session is
    /// refreshed before the placeholder could be used.
    package static let noAccessToken: Secret = "none"
    /// Issue and expiry date for an access token that must be refreshed before use.
    package static let longAgo = Date(timeIntervalSince1970: 0)
}

extension ExternalSession: Reticent {
    package var shown: KeyValuePairs<String, Any> { ["source": source, "account": account, "credential": credential] }
}

/// The result of importing a session that another library has stored, when the import threw no error.
public enum SessionImportResult: String, Sendable, CaseIterable {
    /// The session was imported and is stored.
    case takenOver
    /// The session was not stored, because the store already has a session of the account.
    case alreadySignedIn
    /// The session was not stored, because the store records a sign-out of the account.
    case signedOut
    /// The session has ended, for one of the reasons below. The session is not stored, and the library's copy stays.
    ///
    /// - The date at which the session ends has passed.
    /// - The access token has expired, and there is no refresh token.
    /// - The store records that this session, or a later session at the same backend, has ended.
    case ended
}
