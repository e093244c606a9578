import Foundation
import IdentityKit
import IdentityOAuth

/// The storage in which InsForge's own Swift SDK keeps its session: the Keychain, or in older versions user defaults.
/// The session is a JSON object.
package struct FormerStorage: Sendable {
    /// The account of the Keychain item, which is also the key in user defaults.
    private static let name = "insforge.auth.session"

    private let keychain: FormerKeychain?
    private let defaults: [FormerDefaults]

    /// - Parameters:
    ///   - keychain: the Keychain, which is searched first; `nil` if the system has none.
    ///   - defaults: the user defaults to search afterwards, those of the newest SDK version first.
    package init(keychain: FormerKeychain?, defaults: [FormerDefaults]) {
        self.keychain = keychain
        self.defaults = defaults
    }

    /// The default storage of InsForge's own SDK: the Keychain if there is one, the user defaults of the SDK's suite, and
    /// the app's own user defaults.
    static var ofApp: FormerStorage {
        let defaults = [FormerDefaults(suite: service), FormerDefaults(suite: nil)]
        #if canImport(Security)
        return FormerStorage(keychain: .ofApp, defaults: defaults)
        #else
        return FormerStorage(keychain: nil, defaults: defaults)
        #endif
    }

    /// The service of the SDK's Keychain items, which is also the suite of its user defaults.
    private static let service = "com.insforge.auth"
    private static let item = KeychainName(service: service, account: name)

    /// Returns the stored JSON that InsForge's own SDK would use: from the Keychain, or else from the first user defaults
    /// that contain it; `nil` if there is none.
    /// - Throws: ``/IdentityCore/TokenStoreError`` if the Keychain cannot be read.
    func read() throws -> Data? {
        if let value = try keychain?.value(Self.item) { return value }
        return defaults.lazy.compactMap { $0.value(Self.name) }.first
    }

    /// Removes all copies of the session. The copy that ``read()`` returns is removed last, so that a failure leaves it.
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

    /// Returns a function that reads the session in `storage`, for an import that begins later.
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
            // A token without a readable expiry is refreshed before use, if there is a refresh token.
            expiresAt: token?.expiresAt ?? (refreshToken == nil ? nil : ExternalSession.longAgo),
            signedInAt: token?.issuedAt.map { min($0, now) } ?? now, backend: backend, profile: AccountProfile(user),
            details: InsForgeEngine.details(of: user))
        return ExternalSession(source: Self.source, account: user.id, credential: credential, remove: remove)
    }
}

/// The SDK's own copy of an imported session. The copy does not name its server, so it is removed only after the server
/// has accepted the session, or the user has signed in or out.
final class FormerCopy: Sendable {
    private let waiting = Locked<(kept: ExternalSession, account: AccountID)?>(nil)

    /// Returns whether the SDK's copy can be removed now. If not, ``settle(_:_:in:)`` or ``remove(in:)`` removes it later.
    /// - Parameter stored: the credential that the store holds for `account`.
    func isAccepted(
        _ kept: ExternalSession, of account: AccountID, _ outcome: SessionImportResult, stored: Credential?
    ) -> Bool {
        // A different access token in the store means that the imported session was refreshed, or that a sign-in replaced it.
        guard outcome != .signedOut, let stored, stored.accessToken == kept.credential.accessToken else { return true }
        waiting.withLock { $0 = (kept, account) }
        return false
    }

    /// Removes the SDK's copy if the imported session is no longer current: `account` is not the account of the import, or the
    /// access token in `stored` is not the imported one.
    /// - Parameter stored: the credential that the store holds for `account`; with `nil`, nothing is removed.
    func settle(_ account: AccountID, _ stored: Credential?, in sessions: ProviderSessions) async {
        guard let (kept, owner) = waiting.withLock(\.self), let stored,
            account != owner || stored.accessToken != kept.credential.accessToken
        else { return }
        await remove(in: sessions)
    }

    /// Removes the SDK's copy if it is still waiting for removal. A failure is reported to the observers.
    func remove(in sessions: ProviderSessions) async {
        let settled = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        if let (kept, account) = settled { await sessions.remove(kept, of: account) }
    }
}

extension User {
    /// Reads a user in the format of InsForge's own SDK: with a `profile` since version 0.0.9, and with a `name` in
    /// earlier versions. Dates are texts, or in early versions numbers, which are dropped. The result is `nil` without
    /// an identifier.
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
