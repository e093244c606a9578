import Foundation
import IdentityKit

/// Issues and verifies ID tokens in place of Apple and Google, for apps that get an ID token from the operating system
/// instead of a browser.
struct NativeIDTokens: Sendable {
    private let signer: TokenSigner

    init() throws {
        signer = PublishedKey(id: "native_" + LocalIdentifiers.hex(byteCount: 8), pair: try .second()).signer
    }

    func make(
        _ provider: LocalInsForgeServer.NativeProvider, _ identity: LocalInsForgeServer.ProviderIdentity,
        audience: String, nonce: String?, emailVerified: Bool, at date: Date
    ) throws -> String {
        let now = Int64(date.timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "iss": .string(provider.issuer), "aud": .string(audience), "sub": .string(identity.subject),
            "email": .string(identity.email), "email_verified": .bool(emailVerified), "iat": .integer(now),
            "exp": .integer(now + 600),
        ]
        if let nonce { claims["nonce"] = .string(nonce) }
        // Only Google's tokens have the person's name.
        if provider == .google { claims["name"] = .string(identity.name) }
        return try signer.sign(claims)
    }

    /// Returns the claims of an unexpired token that `provider` issued for one of `audiences`; `nil` for any other token.
    func claims(
        of token: String, from provider: LocalInsForgeServer.NativeProvider, for audiences: [String], at date: Date
    ) -> JSONValue? {
        guard let (_, claims) = signer.verify(token), claims["iss"]?.stringValue == provider.issuer,
            let audience = claims["aud"]?.stringValue, audiences.contains(audience),
            let expiry = claims["exp"]?.integerValue, TimeInterval(expiry) > date.timeIntervalSince1970
        else { return nil }
        return claims
    }
}

extension LocalInsForgeServer {
    /// A provider of ID tokens that an app can get from the operating system.
    public enum NativeProvider: String, Sendable {
        /// Sign in with Apple. Its tokens have no `name`.
        case apple
        case google

        var issuer: String {
            switch self {
            case .apple: "https://appleid.apple.com"
            case .google: "https://accounts.google.com"
            }
        }
    }

    /// Returns an ID token like those that the operating system gives an app. The token is valid for ten minutes.
    /// - Parameters:
    ///   - provider: the provider that the token names as its issuer.
    ///   - identity: the person; by default the server's initial user.
    ///   - audience: the app's client identifier; by default the first of ``Configuration/appleClientIDs`` for Apple, and
    ///     ``Configuration/googleClientID`` for Google.
    ///   - nonce: the `nonce` of the token; `nil` for none. For Apple, the SHA-256 hash in hexadecimal of the nonce
    ///     that the app sends to the server.
    ///   - emailVerified: the claim `email_verified`, with which the provider vouches for the e-mail address.
    /// - Throws: if the token cannot be signed.
    public func nativeIDToken(
        from provider: NativeProvider, for identity: ProviderIdentity? = nil, audience: String? = nil,
        nonce: String? = nil, emailVerified: Bool = true
    ) throws -> String {
        let backend = backend
        let configured = provider == .apple ? backend.rules.appleClientIDs.first : backend.rules.googleClientID
        return try backend.nativeIDTokens.make(
            provider, identity ?? ProviderIdentity(email: user.email, name: user.name),
            audience: audience ?? configured ?? "", nonce: nonce, emailVerified: emailVerified, at: backend.time.now)
    }
}
