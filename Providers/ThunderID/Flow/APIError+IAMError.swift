import IdentityKit

extension APIError {
    /// Whether the person may simply try again with other credentials. Unknown users and wrong passwords are one case.
    var meansWrongCredentials: Bool {
        ["FET-1001", "FET-1002", "FET-1004", "FET-1005", "FET-1006"].contains(code)
    }

    /// The error this code stands for (ThunderID flow execution, error codes). The text never decides.
    var iamError: IAMError {
        switch code {
        case _ where meansWrongCredentials:
            IAMError(.authenticationFailed, IAMError.wrongCredentials, serverCode: code)
        case "FET-1007", "FET-1061":
            IAMError(.userAlreadyExists, "There is a user with these details already.", serverCode: code)
        case "FET-1008":
            IAMError(.mfaFailed, "The code is wrong or has expired.", serverCode: code)
        case "FET-1009":
            IAMError(.mfaFailed, "Too many codes were asked for. Start again later.", serverCode: code)
        case "FET-1026", "FES-1006":
            IAMError(.registrationDisabled, "This application does not register users.", serverCode: code)
        case "FES-1009":
            IAMError(.recoveryFailed, "This application does not recover passwords.", serverCode: code)
        case "FET-1066":
            IAMError(.consentRequired, "The sign-in needs your consent.", serverCode: code)
        case "FET-1073":
            IAMError(.invitationCodeInvalid, "The invitation is not valid any more.", serverCode: code)
        case "FES-1004":
            IAMError(
                .sessionExpired, "The sign-in took too long or was finished already. Start again.", serverCode: code)
        case "ICS-1002":
            IAMError(.unknownError, "The server lost track of this sign-in. Start again.", serverCode: code)
        case "FES-1003":
            IAMError(
                .invalidConfiguration, "The server does not know this application. Check applicationID.",
                serverCode: code)
        case "FES-1010":
            IAMError(
                .invalidConfiguration,
                "This application may not sign in natively. Set clientID and redirectURI, or use a mobile application.",
                serverCode: code)
        case "FES-1014", "FES-1015", "FES-1016":
            IAMError(
                .invalidConfiguration, "The server wants this app to be attested, and it is not.", serverCode: code)
        case "SSE-5000":
            IAMError(.serverError, "The server failed. Try again later.", serverCode: code)
        default:
            IAMError(
                .unknownError, (text ?? "").asServerText(or: "The server refused the request."), serverCode: code)
        }
    }
}
