import Foundation
import IdentityKit

/// An InsForge project, with the interface of InsForge's Swift documentation.
///
/// Creating a client never fails and sends no request. If the address, the options or the store are unusable, every
/// throwing method of ``auth`` throws ``InsForgeAuthError``.
public final class InsForgeClient: Sendable {
    /// The project's address, as passed to the initializer. Requests use its normalized form.
    public let baseURL: URL
    /// The interface for accounts, sign-in and the current session.
    public let auth: InsForgeAuthClient

    /// Creates a client, and restores the session that an earlier client stored for this address.
    /// - Parameters:
    ///   - baseURL: the project's address, such as `https://your-app.insforge.app`.
    ///   - anonKey: the project's anonymous key, an opaque string.
    ///   - options: the client's options.
    public init(baseURL: URL, anonKey: String, options: InsForgeClientOptions = InsForgeClientOptions()) {
        self.baseURL = baseURL
        auth = InsForgeAuthClient(baseURL: baseURL, anonKey: anonKey, options: options)
        #if canImport(Combine)
        LatestClient.shared.register(self)
        #endif
    }

    /// The anonymous key that sign-ups send: the key of the initializer, or the latest key from ``setAnonKey(_:)`` or
    /// ``InsForgeAuthClient/rotateAnonKey(adminToken:gracePeriod:)``.
    public var anonKey: String { auth.anonKey }

    /// Replaces the anonymous key after a rotation at the server. Existing sessions do not depend on the key.
    public func setAnonKey(_ key: String) { auth.setAnonKey(key) }
}
