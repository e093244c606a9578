import Foundation
import IdentityKit

/// Authenticates a client by tokens that it signs: `private_key_jwt` and `client_secret_jwt` (RFC 7523 section 2.2).
///
/// When the server's refusal of an assertion shows that the clocks differ by more than a minute, this value and its
/// copies use the server's time from then on.
public struct ClientAssertion: Sendable {
    private let signer: Signer
    /// The audience of the assertion: the server's issuer identifier, which no other server accepts.
    public let audience: String
    /// Time from the making of an assertion to its expiry.
    public let lifetime: Duration
    /// The party in whose name the client signs, such as a team of developers; `nil` for the client itself.
    public let issuer: String?
    private let random: RandomSource
    private let time: TimeSource
    private let learnt = Locked(ClockOffset.none)

    private enum Signer: Sendable {
        case key(SigningKey)
        case secret(Secret)
    }

    /// The shortest secret that may sign, in bytes: the length of the hash (RFC 7518 section 3.2). Anyone who sees an
    /// assertion can guess at a shorter one offline.
    static let shortestSecret = 32

    /// Creates a maker of assertions.
    /// - Parameters:
    ///   - key: the client's key; its public half is registered at the server.
    ///   - audience: the server's issuer identifier.
    ///   - lifetime: how long one assertion is good for.
    ///   - issuer: in whose name the client makes it; `nil` for its own.
    ///   - random: where the unique identifiers come from.
    ///   - time: the clock.
    public init(
        key: SigningKey, audience: String, lifetime: Duration = .seconds(60), issuer: String? = nil,
        random: RandomSource = .system, time: TimeSource = .system
    ) {
        self.init(
            .key(key), audience: audience, lifetime: lifetime, issuer: issuer, random: random, time: time)
    }

    /// Creates a maker of assertions that are signed with the client's secret by HS256.
    /// - Parameters:
    ///   - secret: the client's secret, of at least 32 bytes (RFC 7518 section 3.2); a shorter one signs nothing.
    ///   - audience: the server's issuer identifier.
    ///   - lifetime: how long one assertion is good for.
    ///   - random: where the unique identifiers come from.
    ///   - time: the clock.
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

    /// A fresh assertion, for one request (RFC 7523 section 3).
    /// - Parameters:
    ///   - clientID: who makes it.
    ///   - subject: whom it is about; `nil` for the client itself.
    ///   - claims: what it says besides.
    /// - Throws: ``/IdentityCore/RandomnessError``, ``OAuthError/invalidSetting(_:)``.
    func token(clientID: String, subject: String? = nil, claims: [String: JSONValue] = [:]) throws -> Secret {
        try signed(
            claims.merging(["iss": .string(issuer ?? clientID), "sub": .string(subject ?? clientID)]) { $1 },
            type: "JWT")
    }

    /// A signed authorization request (RFC 9101 section 4). It has no `sub`, so that nobody can use it as a client
    /// assertion (section 10.8).
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

    /// A copy with another clock, and with `other` as the audience if none was set.
    func using(random: RandomSource, time: TimeSource, audience other: String) -> ClientAssertion {
        ClientAssertion(
            signer, audience: audience.isEmpty ? other : audience, lifetime: lifetime, issuer: issuer, random: random,
            time: time)
    }

    /// The known difference between the server's clock and this one.
    var offset: ClockOffset { learnt.withLock { $0 } }

    /// The clock difference by the `Date` of a response that has just arrived; `nil` without one.
    func offset(of response: HTTPURLResponse) -> ClockOffset? {
        let now = time.now
        return ClockOffset(response, sentAt: now, receivedAt: now)
    }

    func use(_ offset: ClockOffset) { learnt.withLock { $0 = offset } }
}
