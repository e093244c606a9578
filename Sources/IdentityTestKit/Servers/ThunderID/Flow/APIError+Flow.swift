#if Tools
import Foundation

/// What goes wrong inside a flow (ThunderID failures inside the flow).
extension APIError {
    private static func task(_ code: String, _ name: String, _ message: String, _ description: String) -> APIError {
        APIError(code, key: "flows.executor.errors." + name, descriptionSuffix: "_desc", message, description)
    }

    static let userNotFound = task(
        "FET-1001", "user_not_found", "User not found", "No active user has this name")
    static let userNotAuthenticated = task(
        "FET-1004", "user_not_authenticated", "Not authenticated", "Nobody has signed in in this flow")
    static let invalidCredentials = task(
        "FET-1005", "invalid_credentials", "Invalid credentials provided", "The credentials provided are invalid")
    static let userAlreadyExists = task(
        "FET-1007", "user_already_exists", "User already exists", "Somebody else has these attributes")
    static let insufficientPermissions = task(
        "FET-1027", "insufficient_permissions", "Insufficient permissions", "The caller may not run this flow")
    static let invalidInviteToken = task(
        "FET-1073", "invalid_invite_token", "Invalid token", "The token of the link is wrong or was used")

    static func attributeNotUnique(_ attribute: String) -> APIError {
        var error = task(
            "FET-1061", "attribute_not_unique", "Attribute is taken", "Another user has the same {{attribute}}")
        error.parameters = ["attribute": attribute]
        return error
    }

    static let challengeTokenInvalid = APIError(
        "ICS-1002", key: "error.interceptor.challenge_token_invalid", "Invalid challenge token",
        "The challenge token is missing or invalid")
}

/// What is wrong with a call of a flow (ThunderID failures of the call itself).
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
#endif
