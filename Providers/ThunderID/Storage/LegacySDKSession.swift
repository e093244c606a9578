import Foundation
import IdentityKit
import IdentityOAuth

/// A session that ThunderID's own Swift SDK has stored, as up to five values.
///
/// After a sign-in, that SDK overwrites only the values that it received. The stored refresh token or ID token may
/// therefore belong to another person than the access token.
struct LegacySDKSession {
    static let source = "ThunderID's SDK"

    /// The keys of the values, in the order of removal. The refresh token and the access token are last: while one of them is
    /// stored, the next import finds the session again and removes the rest.
    private enum Key: String, CaseIterable {
        case expiry = "thunder.token_expiry"
        case scope = "thunder.scope"
        case idToken = "thunder.id_token"
        case refreshToken = "thunder.refresh_token"
        case accessToken = "thunder.access_token"
    }

    private let accessToken: Secret?
    private let refreshToken: Secret?
    private let idToken: Secret?
    private let expiry: Date?
    private let scopes: Set<String>?

    /// Returns a function that looks for the session when the import runs; `nil` without a storage.
    static func find(
        in storage: (any StorageAdapter)?, for config: ThunderIDConfig, baseURL: ServerURL, time: TimeSource
    ) -> ImportOnce.Find? {
        guard let storage else { return nil }
        return { try find(in: storage, for: config, baseURL: baseURL, at: time.now) }
    }

    /// Returns the session in `storage`; `nil` if there is neither an access token nor a refresh token.
    /// - Throws: `SessionImportError` if the session belongs to another server or does not identify the person; otherwise
    ///   what the storage throws.
    static func find(
        in storage: any StorageAdapter, for config: ThunderIDConfig, baseURL: ServerURL, at now: Date
    ) throws -> ExternalSession? {
        guard let session = try LegacySDKSession(storage) else { return nil }
        return try session.kept(for: config, baseURL: baseURL, at: now) {
            for key in Key.allCases { try storage.delete(key: key.rawValue) }
        }
    }

    private init?(_ storage: any StorageAdapter) throws {
        func text(_ key: Key) throws -> String? {
            try storage.retrieve(key: key.rawValue).flatMap { $0.isEmpty ? nil : $0 }
        }
        accessToken = try text(.accessToken).map { Secret($0) }
        refreshToken = try text(.refreshToken).map { Secret($0) }
        guard accessToken != nil || refreshToken != nil else { return nil }
        idToken = try text(.idToken).map { Secret($0) }
        expiry = try text(.expiry).flatMap(Double.init).flatMap(Date.init(outsideSecondsSince1970:))
        scopes = try text(.scope).map { Set($0.split(separator: " ").map(String.init)) }
    }

    private func kept(
        for config: ThunderIDConfig, baseURL: ServerURL, at now: Date, remove: @escaping @Sendable () throws -> Void
    ) throws -> ExternalSession {
        func claims(_ token: Secret?) -> JSONWebToken? { token.flatMap { try? JSONWebToken($0) } }
        let access = claims(accessToken)
        let tokens = [access, claims(idToken), claims(refreshToken)].compactMap { $0 }
        guard let subject = tokens.lazy.compactMap(\.person).first(where: { !$0.isEmpty }) else {
            throw SessionImportError.unreadable(source: Self.source, detail: "it does not say who signed in")
        }
        try Self.checkIssuer(of: tokens, baseURL)
        func isOfSubject(_ token: Secret?) -> Bool { claims(token)?.person?.hasBytes(of: subject) ?? true }
        let refreshToken = isOfSubject(refreshToken) ? refreshToken : nil
        let idToken = isOfSubject(idToken) ? idToken : nil
        // ThunderID's SDK stores the assertion of a native sign-in as an access token.
        let isAssertion = refreshToken == nil && access.map { $0.type?.lowercased() != "at+jwt" } ?? false

        var credential = Credential(
            accessToken: accessToken ?? ExternalSession.noAccessToken, refreshToken: refreshToken, idToken: idToken,
            scopes: isAssertion ? [] : scopes ?? access?.scopes ?? Set(config.scopes),
            issuedAt: min(access?.issuedAt ?? ExternalSession.longAgo, now),
            expiresAt: expiry(of: access, isRefreshable: refreshToken != nil),
            signedInAt: min(claims(idToken)?.date("auth_time") ?? access?.issuedAt ?? now, now),
            backend: baseURL.description, clientID: isAssertion ? nil : access?.claims["client_id"]?.stringValue,
            details: [SessionDetail.subject: .string(subject)])
        if isAssertion {
            credential.details[SessionDetail.isAssertion] = true
            credential.sessionEndsAt = credential.expiresAt
        }
        credential.profile = AccountProfile(attributes: credential.toldClaims)
        return ExternalSession(source: Self.source, account: subject, credential: credential, remove: remove)
    }

    /// Returns the expiry of the access token, from the date in the token and the stored date. The stored date may belong to an
    /// earlier token.
    ///
    /// - Without a refresh token, the expiry is the date in the access token, or else the stored date; `nil` if there is
    ///   neither.
    /// - With a refresh token, the expiry is the earlier of the two dates. If there is neither, or no OAuth access token, the
    ///   expiry is long ago, so that the session is refreshed before use.
    private func expiry(of access: JSONWebToken?, isRefreshable: Bool) -> Date? {
        guard isRefreshable else { return access?.expiresAt ?? expiry }
        guard accessToken != nil, access?.type?.lowercased() == "at+jwt" else { return ExternalSession.longAgo }
        return [access?.expiresAt, expiry].compactMap { $0 }.min() ?? ExternalSession.longAgo
    }

    /// Checks that the first token with an issuer comes from the host and port of `baseURL`. Without a readable issuer,
    /// nothing is checked. An update of the app may configure another server, which must not receive the tokens.
    /// - Throws: `SessionImportError` for another issuer.
    private static func checkIssuer(of tokens: [JSONWebToken], _ baseURL: ServerURL) throws {
        guard let issuer = tokens.lazy.compactMap(\.issuer).first, let named = URLComponents(string: issuer),
            let host = named.host, let own = URLComponents(string: baseURL.description)
        else { return }
        guard host.lowercased() == own.host?.lowercased(), named.port == own.port else {
            throw SessionImportError.foreign(
                source: source, reason: "It belongs to \(issuer.addressAlone), and here another server is configured.")
        }
    }
}

extension JSONWebToken {
    /// The person to whom the token belongs. In a refresh token the subject is the client, and the claim `access_token_sub`
    /// identifies the person.
    fileprivate var person: String? { claims["access_token_sub"]?.stringValue ?? subject }

    /// The granted scopes in an access token (RFC 9068 section 2.2.3); `nil` without the claim `scope`.
    fileprivate var scopes: Set<String>? {
        claims["scope"]?.stringValue.map { Set($0.split(separator: " ").map(String.init)) }
    }
}

extension ThunderIDConfig {
    /// Returns the storage in which ThunderID's own SDK stores its session. If the app has its own `storage`, this is the app's
    /// storage. If not, it is the Keychain items of the SDK, or `nil` on systems without a Keychain. Always returns `nil` if
    /// ``takesOverSession`` is `false`.
    func formerStorage(_ storage: (any StorageAdapter)?) -> (any StorageAdapter)? {
        guard takesOverSession else { return nil }
        if let storage { return storage }
        #if canImport(Security)
        return FormerKeychainItems(.ofApp, service: "dev.\(vendor).sdk")
        #else
        return nil
        #endif
    }
}

/// The Keychain items of ThunderID's own SDK, only to be read and deleted.
struct FormerKeychainItems: StorageAdapter {
    private let keychain: FormerKeychain
    private let service: String

    init(_ keychain: FormerKeychain, service: String) {
        self.keychain = keychain
        self.service = service
    }

    func retrieve(key: String) throws -> String? {
        try keychain.value(KeychainName(service: service, account: key)).map { String(decoding: $0, as: UTF8.self) }
    }

    func delete(key: String) throws {
        try keychain.remove(KeychainName(service: service, account: key))
    }

    /// Does nothing, because these items are never written.
    func store(key: String, value: String) {}

    /// Does nothing, because only single items are removed.
    func clear() {}
}
