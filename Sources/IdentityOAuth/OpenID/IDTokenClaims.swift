import Foundation
import IdentityKit

/// The checks of the claims of one ID token, one method for each claim or rule.
struct IDTokenClaims {
    let token: JSONWebToken
    let tolerance: TimeInterval
    let now: Date
    /// The token response that brought this token; `nil` if the token did not just arrive from the token endpoint.
    var received: PendingVerification?

    /// The number of seconds that `iat` may be ahead of `now`. The machines of a server may disagree about the time. A token
    /// that has just arrived from the token endpoint is certainly new, so at least ten minutes are accepted for it. Other
    /// dates get only the usual tolerance.
    private var issueTolerance: TimeInterval { received == nil ? tolerance : max(tolerance, 600) }

    /// The time of the device's own clock, if the `Date` of the response shows that this clock is wrong by more than 60
    /// seconds; otherwise `nil`.
    private var wrongDeviceTime: Date? {
        guard let received, received.serverDate != nil, abs(now.timeIntervalSince(received.receivedAt)) > 60 else {
            return nil
        }
        return received.receivedAt
    }

    /// Refuses a token whose `typ` names a special kind of JWT, such as `at+jwt` (RFC 8725 section 3.11).
    func checkType() throws(InvalidIDTokenReason) {
        if let type = token.explicitType { throw .wrongType(type) }
    }

    /// Checks `iss` (OpenID Connect Core section 3.1.3.7 rule 2).
    func checkIssuer(_ expected: String) throws(InvalidIDTokenReason) {
        guard let received = try string("iss") else { throw .issuerMissing }
        guard received.hasBytes(of: expected) else {
            throw .issuerMismatch(expected: expected, received: received)
        }
    }

    /// Returns the `sub`, after a check that it has 1 to 255 bytes (OpenID Connect Core section 2) and equals `expected`. If
    /// `expected` is `nil`, any person is accepted.
    func subject(expected: String?) throws(InvalidIDTokenReason) -> String {
        guard let subject = try string("sub"), 1...255 ~= subject.utf8.count else { throw .subjectMissing }
        if let expected, !subject.hasBytes(of: expected) { throw .subjectMismatch }
        return subject
    }

    /// Returns the `aud`, after a check that it includes the client, and that `azp` is the client (OpenID Connect Core section
    /// 3.1.3.7 rules 3 to 5). `azp` may be absent if there is only one audience.
    func audience(including clientID: String) throws(InvalidIDTokenReason) -> [String] {
        guard let audience = token.audience, !audience.isEmpty else {
            throw token.claims["aud"] == nil ? .audienceMissing : .malformedClaim("aud")
        }
        guard audience.containsBytes(of: clientID) else { throw .audienceMismatch }
        let authorizedParty = try string("azp")
        // The specification does not require `azp`. But without it, another client in `aud` may have requested the token
        // and passed it on, so the token is refused.
        if audience.count > 1, authorizedParty == nil { throw .authorizedPartyMissing(audience) }
        if let authorizedParty, !authorizedParty.hasBytes(of: clientID) { throw .authorizedPartyMismatch }
        return audience
    }

    /// Checks `exp`, `iat` and `nbf` (OpenID Connect Core section 3.1.3.7 rules 9 and 10, RFC 7519 section 4.1.5).
    func lifetime() throws(InvalidIDTokenReason) -> (issuedAt: Date, expiresAt: Date) {
        guard let expiresAt = try date("exp") else { throw .expirationMissing }
        guard let issuedAt = try date("iat") else { throw .issuedAtMissing }
        guard now < expiresAt + tolerance else {
            throw .expired(at: expiresAt, now: now, deviceTime: wrongDeviceTime)
        }
        guard issuedAt <= now + issueTolerance else {
            throw .issuedInFuture(at: issuedAt, now: now, deviceTime: wrongDeviceTime)
        }
        if let notBefore = try date("nbf"), notBefore > now + tolerance {
            throw .notYetValid(at: notBefore, now: now, deviceTime: wrongDeviceTime)
        }
        return (issuedAt, expiresAt)
    }

    /// Checks that `nonce` equals `expected` (OpenID Connect Core section 3.1.3.7 rule 11). If `expected` is `nil`, any token
    /// is accepted.
    func checkNonce(_ expected: String?) throws(InvalidIDTokenReason) {
        guard let expected else { return }
        guard let received = try string("nonce") else { throw .nonceMissing }
        guard received.isSameSecret(as: expected) else { throw .nonceMismatch }
    }

    /// Checks `at_hash`, which may be absent but not wrong (OpenID Connect Core section 3.1.3.6). Without an `accessToken`,
    /// the hash is not compared.
    func checkHash(of accessToken: Secret?, scheme: SignatureScheme) throws(InvalidIDTokenReason) {
        guard let hash = try string("at_hash"), let accessToken else { return }
        guard Self.isHalfHash(hash, of: accessToken, scheme) else { throw .accessTokenHashMismatch }
    }

    /// Returns the `auth_time`, after a check that the sign-in is not older than `maxAge` seconds (OpenID Connect Core section
    /// 3.1.3.7 rule 13). Without `maxAge`, an `auth_time` that is absent or of the wrong type gives `nil`.
    func authenticationTime(maxAge: Int?) throws(InvalidIDTokenReason) -> Date? {
        guard let maxAge else { return token.date("auth_time") }
        guard let authenticatedAt = try date("auth_time") else { throw .authenticationTimeMissing }
        guard now <= authenticatedAt + TimeInterval(maxAge) + tolerance else {
            throw .authenticationTooOld(at: authenticatedAt, now: now)
        }
        return authenticatedAt
    }

    /// Checks that `acr` is one of the accepted classes (OpenID Connect Core section 3.1.3.7 rule 12, RFC 9470 section 5). An
    /// empty list accepts any token.
    func checkAuthenticationContext(_ accepted: [String]) throws(InvalidIDTokenReason) {
        guard !accepted.isEmpty else { return }
        guard let received = try string("acr") else { throw .authenticationContextMissing }
        guard accepted.containsBytes(of: received) else { throw .authenticationContextMismatch(received) }
    }

    /// Checks that a refreshed token has the `iss`, the `sub` and every audience of the previous token. If both tokens have a
    /// `nonce`, the values must be equal (OpenID Connect Core section 12.2).
    ///
    /// Call this method before checking the dates, so that an expired token of another person is reported as another
    /// person's.
    func checkOwner(isThatOf previous: JSONWebToken, audience: [String]) throws(InvalidIDTokenReason) {
        let old = IDTokenClaims(token: previous, tolerance: tolerance, now: now)
        if let expected = try old.string("iss") { try checkIssuer(expected) }
        _ = try subject(expected: try old.string("sub"))
        guard (previous.audience ?? []).allSatisfy({ audience.containsBytes(of: $0) }) else { throw .audienceMismatch }
        if let nonce = try string("nonce"), let before = try old.string("nonce") {
            guard nonce.hasBytes(of: before) else { throw .nonceMismatch }
        }
    }

    /// Checks that a refreshed token has the same `azp` as the previous token, or that both have none. If both tokens have an
    /// `auth_time`, the values must be equal (OpenID Connect Core section 12.2).
    func checkSignIn(isThatOf previous: JSONWebToken) throws(InvalidIDTokenReason) {
        let old = IDTokenClaims(token: previous, tolerance: tolerance, now: now)
        if let authenticatedAt = token.date("auth_time"), let before = previous.date("auth_time") {
            guard authenticatedAt == before else { throw .authenticationTimeMismatch }
        }
        let (party, former) = (try string("azp"), try old.string("azp"))
        let isSame = former.map { party?.hasBytes(of: $0) ?? false } ?? (party == nil)
        guard isSame else { throw .authorizedPartyMismatch }
    }

    /// Whether `text` is the left half of a hash of `secret` in base64url, by any of the hashes for the signature algorithm.
    private static func isHalfHash(_ text: String, of secret: Secret, _ scheme: SignatureScheme) -> Bool {
        scheme.hashes.contains { function in
            let hash = function.hash(Data(secret.reveal().utf8))
            return text.hasBytes(of: Base64URL.encode(hash.prefix(hash.count / 2)))
        }
    }

    func string(_ claim: String) throws(InvalidIDTokenReason) -> String? {
        switch token.claims[claim] {
        case nil: return nil
        case .string(let value): return value
        default: throw .malformedClaim(claim)
        }
    }

    private func date(_ claim: String) throws(InvalidIDTokenReason) -> Date? {
        guard token.claims[claim] != nil else { return nil }
        guard let date = token.date(claim) else { throw .malformedClaim(claim) }
        return date
    }
}
