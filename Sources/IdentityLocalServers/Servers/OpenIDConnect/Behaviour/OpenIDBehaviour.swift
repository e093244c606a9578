/// The misbehaviours, token faults and variations in effect during a request.
struct OpenIDBehaviour: Sendable {
    var misbehaviours: Set<LocalOpenIDConnectServer.Misbehaviour> = []
    var variations: Set<LocalOpenIDConnectServer.Variation> = []
    var resource: Set<LocalOpenIDConnectServer.ResourceMisbehaviour> = []
    var tenants: Set<LocalOpenIDConnectServer.TenantMisbehaviour> = []
    var tokenFaults: Set<LocalOpenIDConnectServer.TokenFault> = []

    func has(_ misbehaviour: LocalOpenIDConnectServer.Misbehaviour) -> Bool { misbehaviours.contains(misbehaviour) }

    func has(_ variation: LocalOpenIDConnectServer.Variation) -> Bool { variations.contains(variation) }

    func has(_ misbehaviour: LocalOpenIDConnectServer.ResourceMisbehaviour) -> Bool {
        resource.contains(misbehaviour)
    }

    func has(_ misbehaviour: LocalOpenIDConnectServer.TenantMisbehaviour) -> Bool { tenants.contains(misbehaviour) }

    func has(_ fault: LocalOpenIDConnectServer.TokenFault) -> Bool { tokenFaults.contains(fault) }

    /// The number of seconds by which the server's clock is ahead; negative if the clock is behind.
    var clockError: Double {
        if has(.clockAhead) { return 3600 }
        return has(.clockBehind) ? -3600 : 0
    }

    /// Whether the behaviour makes user info a JWT instead of JSON. The JWT is signed, except with `unsignedUserInfo`.
    var signsUserInfo: Bool {
        has(.signedUserInfo) || has(.wrongUserInfoIssuer) || has(.wrongUserInfoAudience)
            || has(.badUserInfoSignature) || has(.unsignedUserInfo)
    }

    /// The false issuer that misbehaviours use, for example in `iss`.
    static let foreignIssuer = "https://issuer.example"
    static let foreignClient = "another-client"
    static let foreignSubject = "another-person"
}
