import Foundation

/// The rule that an ID token breaks (OpenID Connect Core sections 3.1.3.7 and 12.2). A wrong signature is an
/// ``InvalidTokenReason`` instead.
public enum InvalidIDTokenReason: Error, Equatable {
    /// A required ID token is absent, such as in the response to a sign-in with the scope `openid`.
    case missing
    /// The `typ` of the header names another kind of token, such as `at+jwt` for an access token (RFC 8725 section
    /// 3.11).
    case wrongType(String)
    case issuerMissing
    /// The `iss` differs from the server's issuer identifier, compared byte for byte.
    case issuerMismatch(expected: String, received: String)
    /// The token of a server with a ``TenantIssuer`` does not name its tenant in this claim, or has a name with
    /// unusable characters there.
    case tenantMissing(claim: String)
    /// The settings do not accept this tenant.
    case tenantNotAccepted(String)
    /// The token is signed with a key that the server reserves for another issuer, such as another tenant's.
    case keyOfAnotherTenant(owner: String)
    /// The token has no `sub`, or its `sub` is empty or longer than 255 bytes.
    case subjectMissing
    /// The `sub` is not that of the expected person, such as the one whom the session belongs to.
    case subjectMismatch
    case audienceMissing
    /// The client is not in `aud`, or a refreshed token lacks an audience of the previous ID token.
    case audienceMismatch
    /// The token has several audiences, which are the associated value, but no `azp`.
    case authorizedPartyMissing([String])
    /// The `azp` is another client, or a refreshed token does not have the `azp` of the previous ID token.
    case authorizedPartyMismatch
    case expirationMissing
    /// The `exp` is further behind the server's time than is tolerated, by default a minute.
    ///
    /// Here and in ``issuedInFuture(at:now:deviceTime:)`` and ``notYetValid(at:now:deviceTime:)``, `now` is the server's time.
    /// `deviceTime` is the time of the device's own clock if the server's `Date` shows that this clock is wrong, otherwise
    /// `nil`.
    case expired(at: Date, now: Date, deviceTime: Date? = nil)
    case issuedAtMissing
    /// The `iat` is further ahead of the server's time than is tolerated: by default a minute, but ten minutes for a
    /// token directly from the token endpoint.
    case issuedInFuture(at: Date, now: Date, deviceTime: Date? = nil)
    /// The `nbf` is further ahead of the server's time than is tolerated, by default a minute.
    case notYetValid(at: Date, now: Date, deviceTime: Date? = nil)
    case nonceMissing
    /// The `nonce` is not that of the sign-in, so the token belongs to another sign-in.
    case nonceMismatch
    /// The `at_hash` does not match the access token.
    case accessTokenHashMismatch
    /// The token has no `auth_time`, although the request limited the age of the sign-in (`max_age`).
    case authenticationTimeMissing
    /// The person signed in longer ago than the request allows.
    case authenticationTooOld(at: Date, now: Date)
    /// The refreshed token has another `auth_time` than the previous ID token.
    case authenticationTimeMismatch
    /// The token has no `acr`, although authentication classes were asked for.
    case authenticationContextMissing
    /// The `acr` is not among the requested classes.
    case authenticationContextMismatch(String)
    /// The claim of this name has the wrong type or an impossible value, such as an empty `aud`.
    case malformedClaim(String)
}

extension OAuthError {
    /// Whether an ID token shows that its response is not for this session: the signature is wrong or absent, the
    /// issuer, audience, person or `nonce` differs (OpenID Connect Core section 12.2), or the key belongs to another
    /// tenant. With any other fault, the access token may still belong to the session.
    var isForeignIDToken: Bool {
        switch self {
        case .invalidToken(.invalidSignature): true
        // An unsigned token may be from anybody, so it counts like a wrong signature.
        case .invalidToken(.unacceptedAlgorithm(let name)): name.lowercased() == "none"
        case .invalidIDToken(let reason):
            switch reason {
            case .issuerMismatch, .keyOfAnotherTenant, .audienceMismatch, .subjectMismatch, .nonceMismatch: true
            default: false
            }
        default: false
        }
    }
}

extension InvalidIDTokenReason: ErrorReason {
    var code: String {
        switch self {
        case .missing: "id_token_missing"
        case .wrongType: "id_token_wrong_type"
        case .issuerMissing: "id_token_iss_missing"
        case .issuerMismatch: "id_token_iss_mismatch"
        case .tenantMissing: "id_token_tenant_missing"
        case .tenantNotAccepted: "id_token_tenant_not_accepted"
        case .keyOfAnotherTenant: "id_token_key_of_another_tenant"
        case .subjectMissing: "id_token_sub_missing"
        case .subjectMismatch: "id_token_sub_mismatch"
        case .audienceMissing: "id_token_aud_missing"
        case .audienceMismatch: "id_token_aud_mismatch"
        case .authorizedPartyMissing: "id_token_azp_missing"
        case .authorizedPartyMismatch: "id_token_azp_mismatch"
        case .expirationMissing: "id_token_exp_missing"
        case .expired: "id_token_expired"
        case .issuedAtMissing: "id_token_iat_missing"
        case .issuedInFuture: "id_token_iat_in_future"
        case .notYetValid: "id_token_nbf_in_future"
        case .nonceMissing: "id_token_nonce_missing"
        case .nonceMismatch: "id_token_nonce_mismatch"
        case .accessTokenHashMismatch: "id_token_at_hash_mismatch"
        case .authenticationTimeMissing: "id_token_auth_time_missing"
        case .authenticationTooOld: "id_token_auth_time_too_old"
        case .authenticationTimeMismatch: "id_token_auth_time_mismatch"
        case .authenticationContextMissing: "id_token_acr_missing"
        case .authenticationContextMismatch: "id_token_acr_mismatch"
        case .malformedClaim: "id_token_malformed_claim"
        }
    }

    var message: String {
        switch self {
        case .missing: "The server sent no ID token. Check that the client may ask for openid."
        case .wrongType(let type): "Expected an ID token, got type \(sanitized(type))."
        case .issuerMismatch(let expected, let received):
            "The ID token comes from \(sanitized(received)) instead of \(sanitized(expected))."
        case .tenantMissing(let claim): "The ID token does not name a tenant in \(sanitized(claim))."
        case .tenantNotAccepted(let tenant):
            "The person is of the tenant \(sanitized(tenant)), whose people may not sign in here."
        case .keyOfAnotherTenant(let owner):
            "The ID token is signed with a key of \(sanitized(owner)), which is another tenant."
        case .audienceMismatch, .authorizedPartyMismatch: "The ID token is meant for another client."
        case .subjectMismatch: "The ID token is about another person than the one who is signed in."
        case .expired(let date, let now, let deviceTime):
            "The ID token expired at \(iso(date)), and it is \(iso(now)).\(advice(on: deviceTime))"
        case .issuedInFuture(let date, let now, let deviceTime), .notYetValid(let date, let now, let deviceTime):
            "The ID token counts from \(iso(date)), and it is \(iso(now)).\(advice(on: deviceTime))"
        case .nonceMismatch: "The ID token belongs to another sign-in."
        case .accessTokenHashMismatch: "The ID token does not belong to the access token."
        case .authenticationTooOld(let date, let now):
            "The sign-in of \(iso(date)) is too old at \(iso(now)). Sign in again."
        case .authenticationTimeMismatch: "The refreshed ID token is of another sign-in."
        case .authenticationContextMissing, .authenticationContextMismatch:
            "The sign-in is weaker than was asked for. Sign in again with a stronger method."
        case .malformedClaim(let name): "The claim \(name) of the ID token has the wrong form."
        case .issuerMissing: "The ID token lacks iss."
        case .subjectMissing: "The ID token lacks a usable sub."
        case .audienceMissing: "The ID token lacks aud."
        case .authorizedPartyMissing(let audience):
            "The ID token is for \(audience.prefix(8).map { sanitized($0) }.joined(separator: " and ")), and does not say in azp "
                + "that this client asked for it, so it is refused. Let the server say so, or name this client alone."
        case .expirationMissing: "The ID token lacks exp."
        case .issuedAtMissing: "The ID token lacks iat."
        case .nonceMissing: "The ID token lacks the nonce of this sign-in."
        case .authenticationTimeMissing: "The ID token does not say when the person signed in."
        }
    }

    private func advice(on deviceTime: Date?) -> String {
        deviceTime.map { " The clock of this device shows \(iso($0)). Set it." } ?? ""
    }

    private func iso(_ date: Date) -> String {
        // The formatter cannot write a date that is far out of range.
        abs(date.timeIntervalSince1970) < 1e11 ? date.ISO8601Format() : "an impossible date"
    }
}
