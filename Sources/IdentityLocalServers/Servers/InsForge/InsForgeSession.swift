import Foundation
import IdentityKit

/// A session of a user or of an administrator.
struct InsForgeSession {
    let subject: String
    let type: InsForgeTokenService.SessionType
    /// The nonce that the CSRF token is bound to. A sign-in makes a new nonce, and a refresh keeps it.
    var csrfNonce = LocalIdentifiers.base64URL(byteCount: 32)

    /// Returns a response with `members` and a new refresh token. A native client gets the refresh token in the body. A
    /// web client gets it in a cookie, and a CSRF token in the body.
    func response(
        _ members: [String: JSONValue], to clientType: InsForgeClientType, from backend: InsForgeBackend
    ) throws -> LocalResponse {
        var members = members
        let refreshToken = try backend.tokens.refreshToken(
            subject: subject, type: type, csrfNonce: csrfNonce,
            distinct: backend.rules.legacy.refreshTokensAreSingleUse)
        switch clientType {
        case .native:
            members["refreshToken"] = .string(refreshToken)
            return .insForge(.object(members))
        case .web:
            let csrfToken = backend.tokens.csrfToken(subject: subject, type: type, csrfNonce: csrfNonce)
            members["csrfToken"] = .string(csrfToken)
            return .insForge(.object(members))
                .with(header: "Set-Cookie", InsForgeCookie(type).set(refreshToken, at: backend.time.now))
        }
    }
}

extension InsForgeBackend {
    func accessToken(for user: InsForgeUser) throws -> String {
        try tokens.accessToken(for: user, withSecret: rules.faults.hasLostKeyPair)
    }

    func accessToken(forAdmin subject: String) throws -> String {
        try tokens.accessToken(forAdmin: subject, withSecret: rules.faults.hasLostKeyPair)
    }
}

extension InsForgeCall {
    /// Returns the response that opens or continues a session: `user`, `accessToken`, and the refresh token in the form
    /// that the client type needs.
    /// - Parameters:
    ///   - csrfNonce: the nonce of the session to continue; `nil` opens a session.
    ///   - isBrandNew: whether a native sign-in has just created the user, so that the user object lacks `providers`.
    ///   - extra: other members of the response.
    func session(
        for user: InsForgeUser, csrfNonce: String? = nil, isBrandNew: Bool = false,
        adding extra: [String: JSONValue] = [:]
    ) throws -> LocalResponse {
        backend.journal.note(csrfNonce == nil ? .issued : .refreshed, at: backend.time.now, person: user.id)
        var session = InsForgeSession(subject: user.id, type: .user)
        if let csrfNonce { session.csrfNonce = csrfNonce }
        let faults = backend.rules.faults
        let members: [String: JSONValue] = [
            "user": isBrandNew ? user.brandNewJSON.with(faults.userMembers) : userObject(user),
            "accessToken": .string(try backend.accessToken(for: user)),
        ]
        return try session.response(members.merging(extra) { $1 }, to: clientType, from: backend).with(faults)
    }

    func userObject(_ user: InsForgeUser) -> JSONValue {
        user.json(withProviders: !backend.rules.legacy.omitsProviders).with(backend.rules.faults.userMembers)
    }
}

extension JSONValue {
    /// Returns a copy of the object with `members` set. A member with the value `nil` is removed.
    fileprivate func with(_ members: [String: JSONValue?]) -> JSONValue {
        members.reduce(into: self) { $0[$1.key] = $1.value }
    }
}

extension LocalResponse {
    fileprivate func with(_ faults: LocalInsForgeServer.Faults) -> LocalResponse {
        var response = self
        response.status = faults.sessionStatus
        if !faults.sessionMembers.isEmpty, let sent = try? JSONValue(parsing: body) {
            response.body = (try? JSONEncoder().encode(sent.with(faults.sessionMembers))) ?? body
        }
        response.body = faults.sessionPrefix + response.body
        if let type = faults.sessionContentType {
            response.headers.removeAll { $0.name.lowercased() == "content-type" }
            response.headers.append(("Content-Type", type))
        }
        return response
    }
}
