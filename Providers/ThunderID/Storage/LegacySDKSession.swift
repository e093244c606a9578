import Foundation
import IdentityKit
import IdentityOAuth

/// A session stored by ThunderID's own Swift SDK: up to five texts in its storage, with the tokens as received.
///
/// After a new sign-in that SDK overwrites only the values that it received, so the refresh token or ID token may
/// belong to another person than the access token.
struct LegacySDKSession {
    static let source = "ThunderID's SDK"

    /// The names of the texts. The tokens are removed last, so that an interrupted import is recognized.
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

    /// An import that reads the session in `storage` later; `nil` without a storage.
    static func find(
        in storage: (any StorageAdapter)?, for config: ThunderIDConfig, baseURL: ServerURL, time: TimeSource
    ) -> ImportOnce.Find? {
        guard let storage else { return nil }
        return { try find(in: storage, for: config, baseURL: baseURL, at: time.now) }
    }

    /// The session in `storage`; `nil` if there is none.
    /// - Throws: what the storage throws; `SessionImportError` if it belongs to another server or client, or does not
    ///   identify the person.
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

    /// The expiry of the access token. The stored text may belong to an earlier token, so the earlier of both dates is
    /// used; if neither is known, the token is refreshed first.
    private func expiry(of access: JSONWebToken?, isRefreshable: Bool) -> Date? {
        guard isRefreshable else { return access?.expiresAt ?? expiry }
        guard accessToken != nil, access?.type?.lowercased() == "at+jwt" else { return ExternalSession.longAgo }
        return [access?.expiresAt, expiry].compactMap { $0 }.min() ?? ExternalSession.longAgo
    }

    /// Refuses tokens of another issuer, to which they must not leak: an update of the app may have another base URL.
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
    /// The person to whom the token belongs. The subject of a refresh token is the client, and the person is in another claim.
    fileprivate var person: String? { claims["access_token_sub"]?.stringValue ?? subject }

    /// The granted scopes in an access token (RFC 9068 section 2.2.3).
    fileprivate var scopes: Set<String>? {
        claims["scope"]?.stringValue.map { Set($0.split(separator: " ").map(String.init)) }
    }
}

extension ThunderIDConfig {
    /// The storage in which ThunderID's own SDK stores its session: the app's storage, or else its place in the
    /// Keychain; `nil` if there is none.
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

/// The items of ThunderID's own SDK in the Keychain.
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
