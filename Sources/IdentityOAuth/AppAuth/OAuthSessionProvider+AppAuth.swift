import Foundation
import IdentityKit

extension OAuthSessionProvider {
    /// The session in an `OIDAuthState` of AppAuth, for ``/IdentityKit/ProviderSessions/importSession(_:)``. No request is sent.
    /// - Parameters:
    ///   - archive: what `NSKeyedArchiver` has written, in its binary form, at most 1 MiB.
    ///   - account: who signed in, the `sub` of the ID token. An app needs to say so where AppAuth has kept no ID token, as
    ///     after a refresh at a server that sends none; otherwise it is compared.
    ///   - remove: removes the archive; called once the session is stored here.
    /// - Returns: the session.
    /// - Throws: ``/IdentityKit/SessionImportError``, also when the state is of another issuer, is written as XML, or is one of
    ///   GTMAppAuth.
    public func keptSession(
        ofAppAuth archive: Data, account: String? = nil, remove: @escaping @Sendable () async throws -> Void
    ) throws -> ExternalSession {
        try AppAuthState(archive).kept(for: server, account: account, at: environment.time.now, remove: remove)
    }
}
