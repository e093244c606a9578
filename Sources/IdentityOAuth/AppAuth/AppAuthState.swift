import Foundation
import IdentityKit

/// The session in an `OIDAuthState` of AppAuth for iOS and macOS, as `NSKeyedArchiver` has archived it.
package struct AppAuthState: Sendable {
    package static let source = "AppAuth"

    private let response: KeyedArchive.Object?
    private let authorization: KeyedArchive.Object?
    private let state: KeyedArchive.Object

    /// Reads an archive in binary form.
    /// - Throws: `SessionImportError.unsupported` for an archive in XML or an archive of GTMAppAuth,
    ///   `SessionImportError.unreadable` for anything else that is not an archived `OIDAuthState`.
    package init(_ archive: Data) throws {
        let root: KeyedArchive.Object?
        do throws(KeyedArchive.Defect) {
            root = try KeyedArchive(archive).root
        } catch .xml {
            throw SessionImportError.unsupported(
                source: Self.source, detail: "the archive is written as XML. Write it in binary form, as is the default"
            )
        } catch {
            throw Self.unreadable("it is no archive of NSKeyedArchiver")
        }
        guard let root else { throw Self.unreadable("it is no archive of NSKeyedArchiver") }
        guard !root.classes.contains(where: { $0.hasPrefix("GTM") }) else {
            throw SessionImportError.unsupported(
                source: Self.source, detail: "the archive is one of GTMAppAuth. Archive its authState alone")
        }
        guard root.is("OIDAuthState") else { throw Self.unreadable("the archive holds no OIDAuthState") }
        state = root
        response = Self.object("lastTokenResponse", of: root, "OIDTokenResponse")
        authorization = Self.object("lastAuthorizationResponse", of: root, "OIDAuthorizationResponse")
    }

    /// Returns the session of the archive.
    /// - Parameters:
    ///   - server: the configured server. Its issuer must be that of AppAuth's configuration or of the ID token.
    ///   - account: the `sub` of the person; `nil` to take the `sub` of the ID token. Required if the archive has no ID
    ///     token. If the archive has an ID token, its `sub` must equal `account`.
    ///   - now: the current time. A later time of issue or sign-in in the archive is replaced by this time.
    ///   - remove: removes the archive.
    /// - Throws: `SessionImportError.foreign` for another issuer. `SessionImportError.unreadable` if the archive has no
    ///   token, does not name the person, the issuer or the client, names another person than `account`, or contains an
    ///   authorization error.
    package func kept(
        for server: OAuthServer, account: String?, at now: Date, remove: @escaping @Sendable () async throws -> Void
    ) throws -> ExternalSession {
        guard state.isNull("authorizationError") else {
            throw Self.unreadable("its authorization ended with an error")
        }
        // After a refresh, AppAuth keeps only the newest token response. If that has no ID token, take the one of the
        // authorization response.
        let newest = response ?? authorization
        let idToken = token("id_token", of: newest) ?? token("id_token", of: authorization)
        let accessToken = token("access_token", of: newest)
        let refreshToken = token("refreshToken", of: state)
        guard accessToken != nil || refreshToken != nil else { throw Self.unreadable("it holds no tokens") }
        let claims = idToken.flatMap { try? JSONWebToken($0) }
        guard let subject = claims?.subject ?? account, !subject.isEmpty, account?.hasBytes(of: subject) ?? true else {
            throw Self.unreadable("it does not say who signed in, or says another person than the app does")
        }
        let requests = [response, authorization].compactMap { $0?.object("request") }
        try checkIssuer(claims, requests, server)
        guard let clientID = requests.lazy.compactMap({ $0.text("client_id") }).first else {
            throw Self.unreadable("it does not name the client")
        }
        let expiry = newest?.date("expires_in")
        let isDue = accessToken == nil || state.isTrue("needsTokenRefresh") || expiry == nil
        var credential = Credential(
            accessToken: accessToken ?? ExternalSession.noAccessToken,
            tokenType: newest?.text("token_type").flatMap { $0.isEmpty ? nil : $0 } ?? "Bearer",
            refreshToken: refreshToken, idToken: idToken,
            scopes: Set((state.text("scope") ?? "").split(separator: " ").map(String.init)),
            issuedAt: min(claims?.issuedAt ?? ExternalSession.longAgo, now, expiry ?? now),
            // With a refresh token, an access token that is absent, marked for refresh, or without a known expiry counts as
            // expired. The session is then refreshed before use.
            expiresAt: isDue && refreshToken != nil ? ExternalSession.longAgo : expiry,
            signedInAt: min(claims?.date("auth_time") ?? claims?.issuedAt ?? now, now), backend: server.backend,
            clientID: clientID)
        credential.profile = claims.flatMap { AccountProfile(claims: $0.claims) }
        return ExternalSession(source: Self.source, account: subject, credential: credential, remove: remove)
    }

    /// Refuses an archive of another issuer, because later requests would send that issuer's tokens to the configured server.
    /// - Throws: `SessionImportError.unreadable` without an issuer, `SessionImportError.foreign` if neither the issuer of
    ///   AppAuth's configuration nor that of the ID token is the configured one.
    private func checkIssuer(
        _ idToken: JSONWebToken?, _ requests: [KeyedArchive.Object], _ server: OAuthServer
    ) throws {
        let configured = requests.lazy.compactMap { $0.object("configuration")?.text("issuer") }.first
        let named = [configured, idToken?.issuer].compactMap { $0 }
        guard let foreign = named.first else { throw Self.unreadable("it does not name the issuer") }
        guard named.contains(where: { $0.hasBytes(of: server.backend) }) else {
            throw SessionImportError.foreign(
                source: Self.source,
                reason: "It belongs to \(foreign.addressAlone), and here another issuer is configured.")
        }
    }

    private func token(_ name: String, of object: KeyedArchive.Object?) -> Secret? {
        object?.text(name).flatMap { $0.isEmpty ? nil : Secret($0) }
    }

    private static func object(_ name: String, of root: KeyedArchive.Object, _ type: String) -> KeyedArchive.Object? {
        root.object(name).flatMap { $0.is(type) ? $0 : nil }
    }

    private static func unreadable(_ detail: String) -> SessionImportError {
        .unreadable(source: source, detail: detail)
    }
}
