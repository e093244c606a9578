import Foundation
import IdentityKit

/// An InsForge project, with the interface of InsForge's Swift documentation.
///
/// Creating a client never fails and never blocks. If the address or the store is unusable, every call of ``auth``
/// throws ``InsForgeAuthError``.
public final class InsForgeClient: Sendable {
    /// The project's address, as it was given.
    public let baseURL: URL
    /// Accounts, sign-in and the session.
    public let auth: InsForgeAuthClient

    /// Opens a client.
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

    /// The anonymous key that sign-ups use.
    public var anonKey: String { auth.anonKey }

    /// Replaces the anonymous key, after the project's key was rotated. Sessions do not depend on it.
    public func setAnonKey(_ key: String) { auth.setAnonKey(key) }
}
