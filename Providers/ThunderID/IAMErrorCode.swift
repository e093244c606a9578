/// The error codes of the ThunderID client, with their documented values.
public enum IAMErrorCode: String, Sendable, Hashable, Codable, CaseIterable {
    /// A method was called before ``ThunderIDClient/initialize(config:storage:)``.
    case sdkNotInitialized = "SDK_NOT_INITIALIZED"
    /// ``ThunderIDClient/initialize(config:storage:)`` was called again.
    /// ``ThunderIDClient/reInitialize(baseUrl:clientId:)`` changes the server or the client.
    case alreadyInitialized = "ALREADY_INITIALIZED"
    /// A setting of the client, or of its application at the server, is missing or wrong.
    case invalidConfiguration = "INVALID_CONFIGURATION"
    /// The redirect URI is not registered for the client, or it is missing and the client has registered none or
    /// several.
    case invalidRedirectUri = "INVALID_REDIRECT_URI"
    /// The server did not accept the credentials or the passkey, the person refused the sign-in, or the account lacks
    /// the permission for the request.
    case authenticationFailed = "AUTHENTICATION_FAILED"
    /// The user account is locked. The client never reports this, because the server does not distinguish locked
    /// accounts from others.
    case userAccountLocked = "USER_ACCOUNT_LOCKED"
    /// The user account is disabled. The client never reports this, because the server does not distinguish disabled
    /// accounts from others.
    case userAccountDisabled = "USER_ACCOUNT_DISABLED"
    /// Nobody is signed in, the session cannot be used any more, or the flow has expired.
    case sessionExpired = "SESSION_EXPIRED"
    /// The server demands an additional or newer authentication, or a step that needs a browser.
    case mfaRequired = "MFA_REQUIRED"
    /// The one-time code is wrong or has expired, too many codes were requested, or the server did not accept a new
    /// passkey.
    case mfaFailed = "MFA_FAILED"
    /// The authorization code, the token or the callback is invalid, or belongs to another sign-in.
    case invalidGrant = "INVALID_GRANT"
    /// The person has to consent, or the session lacks a scope.
    case consentRequired = "CONSENT_REQUIRED"
    /// A user with one of the submitted values exists already, such as with the same e-mail address.
    case userAlreadyExists = "USER_ALREADY_EXISTS"
    /// The server or the client does not accept a value, such as a new password or an action that was not offered.
    case invalidInput = "INVALID_INPUT"
    /// The mailed link or code of an invitation or a recovery is wrong or no longer valid.
    case invitationCodeInvalid = "INVITATION_CODE_INVALID"
    /// A wrong mailed link or code has ended the flow. The person must start again, because the flow no longer accepts the
    /// right link or code.
    case invitationCodeExpired = "INVITATION_CODE_EXPIRED"
    /// The application does not register users.
    case registrationDisabled = "REGISTRATION_DISABLED"
    /// The application does not offer to recover a password.
    case recoveryFailed = "RECOVERY_FAILED"
    /// The mailed link for a sign-in is wrong or no longer valid.
    case confirmationCodeInvalid = "CONFIRMATION_CODE_INVALID"
    /// The person did not confirm the message of ``ThunderIDClient/signIn(byMessageTo:sessionId:show:)`` in time.
    case confirmationCodeExpired = "CONFIRMATION_CODE_EXPIRED"
    /// The system or the app cannot use passkeys, or the device is not set up for them.
    case passkeyNotSupported = "PASSKEY_NOT_SUPPORTED"
    /// The person cancelled the use of a passkey. The client throws `CancellationError` instead.
    case passkeyCancelled = "PASSKEY_CANCELLED"
    /// The device has no suitable passkey.
    case passkeyNoCredential = "PASSKEY_NO_CREDENTIAL"
    /// The passkey could not be used or created; ``IAMError/passkeyError`` has the reason.
    case passkeyFailed = "PASSKEY_FAILED"
    /// A request failed on the network, such as without a connection or for an untrusted certificate.
    case networkError = "NETWORK_ERROR"
    /// A request, or a refresh in another process, took too long.
    case requestTimeout = "REQUEST_TIMEOUT"
    /// The server failed, or its response could not be understood. The next attempt may succeed, unless
    /// ``IAMError/failureClass`` is `definitive`.
    case serverError = "SERVER_ERROR"
    /// An error that no other code describes, such as a failure of the storage.
    case unknownError = "UNKNOWN_ERROR"
}

/// The name of ``IAMErrorCode`` in ThunderID's SDK.
public typealias ThunderIDErrorCode = IAMErrorCode
