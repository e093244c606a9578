import Foundation
import IdentityKit
import IdentityOAuth

/// The place of a session of InsForge's own Swift SDK: a JSON object in the Keychain, or in older versions in user defaults.
package struct FormerStorage: Sendable {
    /// The account of the Keychain item, which is also the key in user defaults.
    private static let name = "insforge.auth.session"

    private let keychain: FormerKeychain?
    private let defaults: [FormerDefaults]

    /// - Parameters:
    ///   - keychain: the Keychain; `nil` for none.
    ///   - defaults: user defaults, the newest first.
    package init(keychain: FormerKeychain?, defaults: [FormerDefaults]) {
        self.keychain = keychain
        self.defaults = defaults
    }

    /// The default place in InsForge's own SDK.
    static var ofApp: FormerStorage {
        let defaults = [FormerDefaults(suite: service), FormerDefaults(suite: nil)]
        #if canImport(Security)
        return FormerStorage(keychain: .ofApp, defaults: defaults)
        #else
        return FormerStorage(keychain: nil, defaults: defaults)
        #endif
    }

    /// The service of its Keychain items, and the suite of its user defaults.
    private static let service = "com.insforge.auth"
    private static let item = KeychainName(service: service, account: name)

    /// The session that InsForge's own SDK would use.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func read() throws -> Data? {
        if let value = try keychain?.value(Self.item) { return value }
        return defaults.lazy.compactMap { $0.value(Self.name) }.first
    }

    /// Removes all copies of the session, the one in use last, so that a failure leaves that one.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func remove() throws {
        for defaults in defaults.reversed() { defaults.remove(Self.name) }
        try keychain?.remove(Self.item)
    }
}

/// The session that InsForge's own Swift SDK has stored: the tokens, and the user as the server described them.
struct LegacySDKSession {
    static let source = "InsForge's SDK"
    /// The largest session that is read, in bytes; larger data is refused.
    private static let maximumSize = 1 << 20

    private let accessToken: Secret
    private let refreshToken: Secret?
    private let user: User

    /// An import that reads the session in `storage` later, when it is needed.
    static func find(in storage: FormerStorage, backend: String, time: TimeSource) -> ImportOnce.Find {
        {
            try storage.read().map { content in
                try LegacySDKSession(content).kept(for: backend, at: time.now) { try storage.remove() }
            }
        }
    }

    private init(_ content: Data) throws {
        func unreadable(_ detail: String) -> SessionImportError { .unreadable(source: Self.source, detail: detail) }
        guard content.count <= Self.maximumSize, let session = try? JSONValue(parsing: content) else {
            throw unreadable("it is no JSON")
        }
        guard let accessToken = session["accessToken"]?.stringValue, accessToken.isVisibleText,
            session["refreshToken"]?.stringValue?.isVisibleText ?? true
        else { throw unreadable("it holds no tokens") }
        guard let user = User(former: session["user"]) else { throw unreadable("it does not say who signed in") }
        let subject = (try? JSONWebToken(Secret(accessToken)))?.subject
        guard subject?.hasBytes(of: user.id) ?? true else { throw unreadable("its token is another person's") }
        self.accessToken = Secret(accessToken)
        refreshToken = session["refreshToken"]?.stringValue.flatMap { $0.isEmpty ? nil : Secret($0) }
        self.user = user
    }

    private func kept(
        for backend: String, at now: Date, remove: @escaping @Sendable () throws -> Void
    ) -> ExternalSession {
        let token = try? JSONWebToken(accessToken)
        let issuedAt = min(token?.issuedAt ?? ExternalSession.longAgo, now)
        let credential = Credential(
            accessToken: accessToken, refreshToken: refreshToken, issuedAt: issuedAt,
            // A token with an unknown expiry is refreshed before use.
            expiresAt: token?.expiresAt ?? (refreshToken == nil ? nil : ExternalSession.longAgo),
            signedInAt: token?.issuedAt.map { min($0, now) } ?? now, backend: backend, profile: AccountProfile(user),
            details: InsForgeEngine.details(of: user))
        return ExternalSession(source: Self.source, account: user.id, credential: credential, remove: remove)
    }
}

/// The original of an imported session, in the storage of InsForge's own SDK. It does not name its server, so it is
/// removed only after the server has accepted the session, or the person has decided.
final class FormerCopy: Sendable {
    private let waiting = Locked<(kept: ExternalSession, account: AccountID)?>(nil)

    /// Whether the original can be removed now, or has to wait for the server.
    /// - Parameter stored: the session of `account` here.
    func isAccepted(
        _ kept: ExternalSession, of account: AccountID, _ outcome: SessionImportResult.Outcome, stored: Credential?
    ) -> Bool {
        // A different access token means that the session was refreshed, or began with a sign-in here.
        guard outcome != .signedOut, let stored, stored.accessToken == kept.credential.accessToken else { return true }
        waiting.withLock { $0 = (kept, account) }
        return false
    }

    /// Removes the original if `stored`, the session of `account` here, is no longer the imported one.
    func settle(_ account: AccountID, _ stored: Credential?, in sessions: ProviderSessions) async {
        guard let (kept, owner) = waiting.withLock(\.self), let stored,
            account != owner || stored.accessToken != kept.credential.accessToken
        else { return }
        await remove(in: sessions)
    }

    /// Removes the original, if that has not been done.
    func remove(in sessions: ProviderSessions) async {
        let settled = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        if let (kept, account) = settled { await sessions.remove(kept, of: account) }
    }
}

extension User {
    /// The user in the format of InsForge's own SDK: with a `profile` since version 0.0.9, with a `name` before. Dates
    /// are texts, or in early versions numbers, which are dropped.
    fileprivate init?(former user: JSONValue?) {
        guard let user, let id = user["id"]?.stringValue, !id.isEmpty else { return nil }
        let identities = user["identities"]?.arrayValue?.compactMap { $0["provider"]?.stringValue }
        let name = user["name"]?.stringValue.map { ["name": JSONValue.string($0)] }
        self.init(
            id: id, email: user["email"]?.stringValue ?? "", emailVerified: user["emailVerified"]?.boolValue ?? false,
            createdAt: user["createdAt"]?.stringValue ?? "", updatedAt: user["updatedAt"]?.stringValue ?? "",
            providers: user["providers"]?.arrayValue?.compactMap(\.stringValue) ?? identities,
            profile: (user["profile"]?.objectValue ?? name).map(UserProfile.init(members:)),
            metadata: user["metadata"]?.objectValue.map(JSONValue.object))
    }
}
