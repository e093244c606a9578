/// Errors inside a flow. A response with such an error has the status 200 (Backends/ThunderID.md#failures-inside-a-flow).
extension APIError {
    private static func task(_ code: String, _ name: String, _ message: String, _ description: String) -> APIError {
        APIError(code, key: "flows.executor.errors." + name, descriptionSuffix: "_desc", message, description)
    }

    static let userNotFound = task("FET-1001", "user_not_found", "User not found", "No active user has this name")
    static let userNotAuthenticated = task(
        "FET-1004", "user_not_authenticated", "Not authenticated", "No user has signed in in this flow")
    static let invalidCredentials = task(
        "FET-1005", "invalid_credentials", "Invalid credentials provided", "The credentials provided are invalid")
    static let invalidCode = task("FET-1008", "invalid_otp", "Invalid code", "The code is wrong or too old")
    static let tooManyCodes = task(
        "FET-1009", "max_otp_attempts_reached", "Too many codes", "No further code is sent in this flow")
    static let invalidMagicLink = task(
        "FET-1010", "invalid_magic_link_token", "Invalid link", "The link is wrong, too old or was used")
    static let federationStateMismatch = task(
        "FET-1012", "invalid_oauth_state", "State mismatch", "The response belongs to another request")
    static let federationCodeInvalid = task(
        "FET-1013", "invalid_oauth_code", "Invalid code", "The other provider does not know this code")
    static let federatedUserUnknown = task(
        "FET-1014", "invalid_federated_user", "Unknown user", "No user here is the other provider's user")
    static let invalidPasskey = task(
        "FET-1015", "invalid_passkey", "Invalid passkey", "The passkey's signature does not verify")
    static let noPasskeys = task("FET-1016", "no_registered_passkeys", "No passkey", "The user has no passkey")
    static let passkeyRegistrationFailed = task(
        "FET-1018", "passkey_registration_failed", "No passkey was registered", "The new passkey does not verify")
    static let authorizationFailed = task(
        "FET-1028", "authorization_failed", "Authorization failed", "The user may not use the application")
    /// An error with a made-up number, because the real server has no number for it.
    static let consentUnreadable = task(
        "FET-1068", "consent_decisions_parse", "Unreadable decisions", "The decisions are not JSON")
    static let consentDenied = task(
        "FET-1066", "consent_denied", "Consent denied", "The application cannot do without what was kept back")
    static let consentTimedOut = task(
        "FET-1069", "consent_prompt_timed_out", "Consent timed out", "The decision came too late")
    static let noSession = task("FET-1081", "no_live_sso_session", "No session", "There is no session to continue")
    static let interactionRequired = task(
        "FET-1082", "interaction_required", "Interaction required",
        "The sign-in is not of the class or the age that was asked for")
    static let userAlreadyExists = task(
        "FET-1007", "user_already_exists", "User already exists", "Another user has these attributes")
    static let provisioningFailed = task(
        "FET-1021", "provisioning_failed", "No user was made", "The user type does not take these attributes")
    static let provisioningConflict = task(
        "FET-1080", "provisioning_attribute_conflict", "No user was made", "Another user has one of these attributes")
    static let insufficientPermissions = task(
        "FET-1027", "insufficient_permissions", "Insufficient permissions", "The caller may not run this flow")
    static let invalidInviteToken = task(
        "FET-1073", "invalid_invite_token", "Invalid token", "The token of the link is wrong or was used")

    static let invalidAction = APIError(
        "FLC-1002", key: "error.flow.core.prompt_invalid_action", "Invalid action provided",
        "The action is not one of those that were offered")
    /// The errors whose texts are among the translations that `/flow/meta` returns.
    static let translated: [APIError] = [
        .userNotFound, .userNotAuthenticated, .invalidCredentials, .invalidCode, .tooManyCodes, .invalidMagicLink,
        .federationStateMismatch, .federationCodeInvalid, .federatedUserUnknown, .invalidPasskey, .noPasskeys,
        .passkeyRegistrationFailed, .authorizationFailed, .consentUnreadable, .consentDenied, .consentTimedOut,
        .noSession, .interactionRequired, .userAlreadyExists, .insufficientPermissions, .invalidInviteToken,
        .provisioningFailed, .provisioningConflict,
    ]

    static let challengeTokenInvalid = APIError(
        "ICS-1002", key: "error.interceptor.challenge_token_invalid", "Invalid challenge token",
        "The challenge token is missing or invalid")
}

/// Errors that fail a flow call with the status 400 or above (Backends/ThunderID.md#failures-of-a-call).
extension APIError {
    private static func execution(
        _ code: String, _ name: String, _ message: String, _ description: String
    ) -> APIError {
        APIError(code, key: "error.flowexecservice." + name, message, description)
    }

    static let undecodableFlowRequest = execution(
        "FES-1001", "invalid_request_payload", "Invalid payload", "The body is not a flow request")
    static let invalidApplication = execution(
        "FES-1003", "invalid_app_id", "Invalid request", "Invalid app ID provided in the request")
    static let invalidExecution = execution(
        "FES-1004", "invalid_execution_id", "Invalid request", "Invalid flow execution ID provided in the request")
    static let invalidFlowType = execution(
        "FES-1005", "invalid_flow_type", "Invalid request", "There is no flow of this type")
    static let registrationDisabled = execution(
        "FES-1006", "registration_not_allowed", "Registration is disabled", "The application takes no registrations")
    static let recoveryDisabled = execution(
        "FES-1009", "recovery_not_allowed", "Recovery is disabled", "The application offers no recovery")
    static let directInitiationRefused = execution(
        "FES-1010", "direct_flow_initiation_not_permitted", "Direct initiation refused",
        "An application of this type may not start this flow itself")
    static let flowSecretMissing = execution(
        "FES-1011", "flow_secret_required", "Flow secret required", "The application must send its flow secret")
    static let flowSecretInvalid = execution(
        "FES-1012", "flow_secret_invalid", "Flow secret refused", "The flow secret is wrong")
    static let callsTooDeep = execution(
        "FES-1013", "max_call_depth_exceeded", "Too many calls", "The flow calls itself too often")
    static let attestationMissing = execution(
        "FES-1014", "attestation_required", "Attestation required", "The application must send an attestation")
    static let attestationInvalid = execution(
        "FES-1015", "attestation_invalid", "Attestation refused", "The attestation does not verify")
    static let attestationUnconfigured = execution(
        "FES-1016", "attestation_not_configured", "No attestation configured",
        "A mobile application needs a platform attestation")
    static let administrationNeedsAuthentication = execution(
        "FES-1017", "administration_authentication_required", "Authentication required",
        "An administration flow needs an authenticated caller")
}
