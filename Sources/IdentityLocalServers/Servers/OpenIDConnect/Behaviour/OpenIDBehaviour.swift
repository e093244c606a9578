/// The misbehaviours and variations in effect during a request.
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

    /// The error of the server's clock, in seconds.
    var clockError: Double {
        if has(.clockAhead) { return 3600 }
        return has(.clockBehind) ? -3600 : 0
    }

    /// Whether the behaviour makes user info a signed JWT.
    var signsUserInfo: Bool {
        has(.signedUserInfo) || has(.wrongUserInfoIssuer) || has(.wrongUserInfoAudience)
            || has(.badUserInfoSignature) || has(.unsignedUserInfo)
    }

    /// An issuer that does not belong to the request.
    static let foreignIssuer = "https://issuer.example"
    static let foreignClient = "another-client"
    static let foreignSubject = "another-person"
}
