import Foundation
import IdentityKit

extension InsForgeCall {
    /// `POST /api/auth/id-token`: opens a session for an ID token of Apple or Google
    /// (Backends/InsForge.md#native-sign-in).
    func nativeSignIn() throws -> LocalResponse {
        var fields = fields
        let (provider, identity): (LocalInsForgeServer.NativeProvider, LocalInsForgeServer.ProviderIdentity)
        switch fields.string("provider") {
        case "google": (provider, identity) = (.google, try google(&fields))
        case "apple": (provider, identity) = (.apple, try apple(&fields))
        default:
            throw InsForgeServerError.invalidInput("provider: Invalid discriminator value. Expected 'google' | 'apple'")
        }
        let isNew = !backend.users.knows(identity, at: provider.rawValue)
        let user = try backend.users.resolve(
            identity, at: provider.rawValue, allowsSignUp: !backend.rules.disableSignup, date: backend.time.now)
        backend.counters.withLock { $0.signIns += 1 }
        return try session(for: user, isBrandNew: isNew)
    }

    /// Returns the identity in an ID token of Google. The token's audience must be the configured client identifier.
    /// - Throws: `INVALID_INPUT` for every failure.
    private func google(_ fields: inout InsForgeFields) throws -> LocalInsForgeServer.ProviderIdentity {
        let token = fields.string("token", .notEmpty("Token is required"))
        try fields.check()
        guard backend.providers.builtIn.contains("google"),
            let claims = backend.nativeIDTokens.claims(
                of: token, from: .google, for: [backend.rules.googleClientID], at: backend.time.now)
        else { throw InsForgeServerError.invalidInput("Failed to verify Google ID token") }
        return try identity(claims, name: claims["name"]?.stringValue)
    }

    /// Returns the identity in an ID token of Apple. The body must have the nonce and no unknown members.
    /// - Throws: 401 `AUTH_UNAUTHORIZED` if Apple is not configured, or the token is not valid for this app and nonce.
    ///   `INVALID_INPUT` in three cases: the body is invalid; the token lacks a subject or an address; the token does not call
    ///   the address verified, and no user is linked to the Apple account yet.
    private func apple(_ fields: inout InsForgeFields) throws -> LocalInsForgeServer.ProviderIdentity {
        let token = fields.string("token", .notEmpty("Token is required"))
        let nonce = fields.string(
            "nonce", .init(complaint: "Nonce is required") { !$0.trimmed.isEmpty },
            .init(complaint: "Nonce must be at most 255 characters") { $0.utf16.count <= 255 })
        let name = fields.optionalName()
        fields.allowOnly(["provider", "token", "nonce", "name"])
        try fields.check()
        guard backend.providers.builtIn.contains("apple"),
            let claims = backend.nativeIDTokens.claims(
                of: token, from: .apple, for: backend.rules.appleClientIDs, at: backend.time.now),
            claims["nonce"]?.stringValue == LocalIdentifiers.hex(sha256(Data(nonce.utf8)))
        else { throw InsForgeServerError.unauthorized("Failed to verify Apple ID token") }
        let identity = try identity(claims, name: name)
        guard claims["email_verified"] == true || backend.users.isLinked(identity, at: "apple") else {
            throw InsForgeServerError.invalidInput(
                "A verified email address is required to create or link an OAuth account.")
        }
        return identity
    }

    private func identity(_ claims: JSONValue, name: String?) throws -> LocalInsForgeServer.ProviderIdentity {
        guard let subject = claims["sub"]?.stringValue, let email = claims["email"]?.stringValue, !email.isEmpty
        else { throw InsForgeServerError.invalidInput("The ID token lacks sub or email") }
        return .init(subject: subject, email: email, name: name ?? "")
    }
}
