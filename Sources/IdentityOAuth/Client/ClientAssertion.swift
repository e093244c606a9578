import Foundation
import IdentityKit

/// Authenticates a client with tokens that it signs: `private_key_jwt` and `client_secret_jwt` (RFC 7523 section 2.2).
///
/// A server may refuse an assertion because the server's clock differs from this machine's. If the `Date` of the
/// response shows a difference of more than a minute, this value and its copies use the server's time from then on. If
/// the server refuses the corrected assertion as well, the former time is used again.
public struct ClientAssertion: Sendable {
    private let signer: Signer
    /// The audience of the assertions: the server's issuer identifier, so that no other server accepts them.
    /// ``OAuthServer`` replaces an empty audience with the issuer that it discovers.
    package let audience: String
    /// The time between the `iat` and the `exp` of an assertion.
    package let lifetime: Duration
    /// The `iss` of an assertion if it is not the client, such as a developer team at Sign in with Apple; `nil` for the
    /// client's identifier.
    package let issuer: String?
    private let random: RandomSource
    private let time: TimeSource
    private let learnt = Locked(ClockOffset.none)

    private enum Signer: Sendable {
        case key(SigningKey)
        case secret(Secret)
    }

    /// The shortest secret that may sign, in bytes: the length of the hash (RFC 7518 section 3.2). Anyone who sees an
    /// assertion could find a shorter secret by trying candidates offline.
    static let shortestSecret = 32

    /// Creates assertions that are signed with a private key.
    /// - Parameters:
    ///   - key: the client's key; its public half is registered at the server.
    ///   - audience: the server's issuer identifier.
    ///   - lifetime: the time after which an assertion expires.
    ///   - issuer: the `iss` of an assertion; `nil` for the client's identifier.
    ///   - random: the source of the unique identifiers (`jti`).
    ///   - time: the clock for `iat` and `exp`.
    public init(
        key: SigningKey, audience: String, lifetime: Duration = .seconds(60), issuer: String? = nil,
        random: RandomSource = .system, time: TimeSource = .system
    ) {
        self.init(
            .key(key), audience: audience, lifetime: lifetime, issuer: issuer, random: random, time: time)
    }

    /// Creates assertions that are signed with the client's secret by HS256.
    /// - Parameters:
    ///   - secret: the client's secret, of at least 32 bytes (RFC 7518 section 3.2). A request with a shorter secret
    ///     throws ``OAuthError/invalidSetting(_:)``.
    ///   - audience: the server's issuer identifier.
    ///   - lifetime: the time after which an assertion expires.
    ///   - random: the source of the unique identifiers (`jti`).
    ///   - time: the clock for `iat` and `exp`.
    public init(
        secret: Secret, audience: String, lifetime: Duration = .seconds(60), random: RandomSource = .system,
        time: TimeSource = .system
    ) {
        self.init(
            .secret(secret), audience: audience, lifetime: lifetime, issuer: nil, random: random, time: time)
    }

    private init(
        _ signer: Signer, audience: String, lifetime: Duration, issuer: String?, random: RandomSource, time: TimeSource
    ) {
        self.signer = signer
        self.audience = audience
        self.lifetime = lifetime
        self.issuer = issuer
        self.random = random
        self.time = time
    }

    /// The parameters of a request that authenticates with `token` (RFC 7523 section 2.2).
    static func fields(_ token: Secret) -> [FormField] {
        [
            FormField("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            FormField("client_assertion", token.reveal()),
        ]
    }

    /// Returns a new assertion for one request (RFC 7523 section 3).
    /// - Parameters:
    ///   - clientID: the client's identifier, which is the `iss` unless ``issuer`` is set.
    ///   - subject: the `sub`; `nil` for the client's identifier.
    ///   - claims: additional claims. Claims that this type sets itself replace those of the same name.
    /// - Throws: `RandomnessError`, or ``OAuthError/invalidSetting(_:)`` when the key cannot sign or the secret is too
    ///   short.
    func token(clientID: String, subject: String? = nil, claims: [String: JSONValue] = [:]) throws -> Secret {
        try signed(
            claims.merging(["iss": .string(issuer ?? clientID), "sub": .string(subject ?? clientID)]) { $1 },
            type: "JWT")
    }

    /// Returns a signed authorization request (RFC 9101 section 4). It has no `sub`, so that nobody can use it as a
    /// client assertion (RFC 9101 section 10.8).
    /// - Throws: as ``token(clientID:subject:claims:)``.
    func requestObject(claims: [String: JSONValue], clientID: String) throws -> Secret {
        try signed(claims.merging(["iss": .string(clientID)]) { $1 }, type: "oauth-authz-req+jwt")
    }

    private func signed(_ claims: [String: JSONValue], type: String) throws -> Secret {
        let now = offset.serverTime(at: time.now)
        var header: [String: JSONValue] = ["typ": .string(type)]
        let claims = claims.merging([
            "aud": .string(audience), "jti": .string(Base64URL.encode(try random.bytes(16))),
            "iat": .integer(now.wholeSecondsSince1970),
            "exp": .integer((now + lifetime.timeInterval).wholeSecondsSince1970),
        ]) { $1 }
        switch signer {
        case .key(let key):
            header["kid"] = key.publicKey.keyID.map(JSONValue.string)
            return try key.token(header: header, claims: claims)
        case .secret(let secret):
            let key = Data(secret.reveal().utf8)
            guard key.count >= Self.shortestSecret else { throw OAuthError.invalidSetting(.shortSecret) }
            return try JSONWebToken.signed(header: header, claims: claims, by: .hs256) { hmacSHA256($0, key: key) }
        }
    }

    /// Returns a copy with another clock and source of identifiers, and with `other` as the audience if the audience is
    /// empty. The copy does not share the learnt clock difference.
    func using(random: RandomSource, time: TimeSource, audience other: String) -> ClientAssertion {
        ClientAssertion(
            signer, audience: audience.isEmpty ? other : audience, lifetime: lifetime, issuer: issuer, random: random,
            time: time)
    }

    /// The difference between the server's clock and ``time`` that a refusal has shown; none at first.
    var offset: ClockOffset { learnt.withLock { $0 } }

    /// Returns the clock difference by the `Date` of a response that has just arrived; `nil` without a readable `Date`.
    func offset(of response: HTTPURLResponse) -> ClockOffset? {
        let now = time.now
        return ClockOffset(response, sentAt: now, receivedAt: now)
    }

    func use(_ offset: ClockOffset) { learnt.withLock { $0 = offset } }
}
