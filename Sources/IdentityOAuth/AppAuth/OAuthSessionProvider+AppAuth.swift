import Foundation
import IdentityKit

extension OAuthSessionProvider {
    /// Reads the session in an archived `OIDAuthState` of AppAuth, for ``/IdentityKit/ProviderSessions/importSession(_:)``. No
    /// request is sent.
    /// - Parameters:
    ///   - archive: the `OIDAuthState` as `NSKeyedArchiver` writes it in binary form, at most 1 MiB.
    ///   - account: the `sub` of the person who signed in; `nil` to take the `sub` of the stored ID token. Required if
    ///     AppAuth has stored no ID token, such as after a refresh at a server that sends none. If AppAuth has stored
    ///     an ID token, its `sub` must equal `account`.
    ///   - remove: removes the archive. The import calls it once the session is stored, or when the account already has a
    ///     session or has signed out.
    /// - Returns: the session, to pass to the import.
    /// - Throws: an error with the code `takeover_unsupported` for an archive in XML or of GTMAppAuth,
    ///   `takeover_foreign` for an archive of another issuer, or `takeover_unreadable` for any other archive that yields no
    ///   session: it lacks a token, the person, the issuer or the client, names another person than `account`, contains an
    ///   authorization error, or is no `OIDAuthState`.
    public func keptSession(
        ofAppAuth archive: Data, account: String? = nil, remove: @escaping @Sendable () async throws -> Void
    ) throws -> ExternalSession {
        try AppAuthState(archive).kept(for: server, account: account, at: environment.time.now, remove: remove)
    }
}
