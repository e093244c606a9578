/// The error codes of the ThunderID client, with their documented values.
public enum IAMErrorCode: String, Sendable, Hashable, Codable, CaseIterable {
    /// A method was called before `initialize()`.
    case sdkNotInitialized = "SDK_NOT_INITIALIZED"
    /// `initialize()` was called more than once.
    case alreadyInitialized = "ALREADY_INITIALIZED"
    /// A configuration value is missing or wrong.
    case invalidConfiguration = "INVALID_CONFIGURATION"
    /// The redirect URI is not registered.
    case invalidRedirectUri = "INVALID_REDIRECT_URI"
    /// The credentials are wrong.
    case authenticationFailed = "AUTHENTICATION_FAILED"
    /// The user account is locked.
    case userAccountLocked = "USER_ACCOUNT_LOCKED"
    /// The user account is disabled.
    case userAccountDisabled = "USER_ACCOUNT_DISABLED"
    /// The session has expired and cannot be refreshed.
    case sessionExpired = "SESSION_EXPIRED"
    /// An additional factor is required.
    case mfaRequired = "MFA_REQUIRED"
    /// The additional factor was wrong.
    case mfaFailed = "MFA_FAILED"
    /// The authorization code or token is invalid.
    case invalidGrant = "INVALID_GRANT"
    /// The user has to consent.
    case consentRequired = "CONSENT_REQUIRED"
    /// A user with these details exists already.
    case userAlreadyExists = "USER_ALREADY_EXISTS"
    /// The input is not acceptable.
    case invalidInput = "INVALID_INPUT"
    /// The invitation code is not valid.
    case invitationCodeInvalid = "INVITATION_CODE_INVALID"
    /// The invitation code has expired.
    case invitationCodeExpired = "INVITATION_CODE_EXPIRED"
    /// The application does not register users.
    case registrationDisabled = "REGISTRATION_DISABLED"
    /// The password was not recovered.
    case recoveryFailed = "RECOVERY_FAILED"
    /// The confirmation code is not valid.
    case confirmationCodeInvalid = "CONFIRMATION_CODE_INVALID"
    /// The confirmation code has expired.
    case confirmationCodeExpired = "CONFIRMATION_CODE_EXPIRED"
    /// Passkeys are not supported on this device.
    case passkeyNotSupported = "PASSKEY_NOT_SUPPORTED"
    /// The person cancelled the use of a passkey.
    case passkeyCancelled = "PASSKEY_CANCELLED"
    /// The device has no suitable passkey.
    case passkeyNoCredential = "PASSKEY_NO_CREDENTIAL"
    /// The passkey could not be used or created.
    case passkeyFailed = "PASSKEY_FAILED"
    /// A request failed on the network.
    case networkError = "NETWORK_ERROR"
    /// A request took too long.
    case requestTimeout = "REQUEST_TIMEOUT"
    /// The server responded with an error.
    case serverError = "SERVER_ERROR"
    case unknownError = "UNKNOWN_ERROR"
}

/// The name of ``IAMErrorCode`` in ThunderID's SDK.
public typealias ThunderIDErrorCode = IAMErrorCode
