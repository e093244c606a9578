import Foundation
import IdentityKit

/// A stand-in for Apple and Google for apps that get a token from the system instead of a browser: issues such tokens
/// and has the keys to verify them.
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
        // Tokens of Apple have no name.
        if provider == .google { claims["name"] = .string(identity.name) }
        return try signer.sign(claims)
    }

    /// The claims of a token that `provider` issued for one of `audiences`; `nil` for any other token.
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
    /// Providers whose tokens an app can get from the system.
    public enum NativeProvider: String, Sendable {
        /// Sign in with Apple.
        case apple
        case google

        var issuer: String {
            switch self {
            case .apple: "https://appleid.apple.com"
            case .google: "https://accounts.google.com"
            }
        }
    }

    /// An ID token as a device's system would give it to the app.
    /// - Parameters:
    ///   - provider: the issuer.
    ///   - identity: the person; by default the initial user.
    ///   - audience: the app's client identifier; by default the configured one.
    ///   - nonce: the nonce hash that the app passed to Apple.
    ///   - emailVerified: whether the provider vouches for the address.
    /// - Throws: if a key cannot be made.
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
