import IdentityKit

/// Decides whether an application may start a sign-in or sign-out flow directly (Backends/ThunderID.md#who-may-start-a-flow).
enum DirectInitiationGuard {
    /// Checks the application's type and the attestation or flow secret in the request's headers.
    /// - Throws: ``ThunderIDServerError`` if the application may not start the flow, or if the server is unable to verify
    ///   attestations.
    static func check(_ application: LocalThunderIDServer.Application, request: LocalRequest) throws {
        switch application.type {
        case .browser, .m2m:
            throw ThunderIDServerError.api(status: 403, .directInitiationRefused)
        case .mobile:
            try checkAttestation(application.attestation, sent: request.header("Attestation-Token"))
        case .fullstack, .custom, .mcp:
            guard mayUseFlowSecret(application.grantTypes) else {
                throw ThunderIDServerError.api(status: 403, .directInitiationRefused)
            }
            try checkFlowSecret(application.flowSecret, sent: request.header("Flow-Secret"))
        }
    }

    private static func checkAttestation(
        _ attestation: LocalThunderIDServer.Application.Attestation, sent: String?
    ) throws {
        switch attestation {
        case .developmentMode:
            break
        case .unconfigured:
            throw ThunderIDServerError.api(status: 400, .attestationUnconfigured)
        case .platform(let accepted):
            guard let sent, !sent.isEmpty else { throw ThunderIDServerError.api(status: 401, .attestationMissing) }
            guard Secret(sent) == accepted else { throw ThunderIDServerError.api(status: 401, .attestationInvalid) }
        case .brokenPlatform:
            guard sent?.isEmpty == false else { throw ThunderIDServerError.api(status: 401, .attestationMissing) }
            throw ThunderIDServerError.internalError
        }
    }

    /// Whether an application with these grants may start flows with a flow secret. With the grant for authorization codes,
    /// it must sign people in by redirect. With only client credentials, it has no people to sign in.
    private static func mayUseFlowSecret(_ grants: Set<LocalThunderIDServer.Application.GrantType>) -> Bool {
        !grants.contains(.authorizationCode) && grants != [.clientCredentials]
    }

    private static func checkFlowSecret(_ secret: Secret?, sent: String?) throws {
        guard let sent, !sent.isEmpty else { throw ThunderIDServerError.api(status: 401, .flowSecretMissing) }
        guard Secret(sent) == secret else { throw ThunderIDServerError.api(status: 401, .flowSecretInvalid) }
    }
}
