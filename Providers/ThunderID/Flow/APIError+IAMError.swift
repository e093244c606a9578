import IdentityKit

extension APIError {
    /// Whether the person may try again with other credentials. Unknown users, ambiguous user names and wrong passwords
    /// are not distinguished, so that nobody learns which accounts exist.
    var meansWrongCredentials: Bool {
        let parts = code.split(separator: "-")
        return parts.first == "FET" && (1001...1006).contains(parts.last.flatMap { Int($0) } ?? 0)
    }

    /// The error for this code, with a text of this library. For an unknown code, the text is the server's if there is
    /// one.
    var iamError: IAMError { iamError(in: FlowTexts()) }

    /// Returns the error for this code. Usually, its text is the server's translation, or else this library's text. There are
    /// three exceptions:
    ///
    /// - For English, the server's translation is not used, because this library's text says what to do.
    /// - If the server refuses the values of a new user and `sentFields` is not empty, the text is this library's and lists
    ///   `sentFields`.
    /// - For an unknown code without a translation, the server's own text takes precedence over this library's.
    /// - Parameters:
    ///   - texts: the server's translations.
    ///   - concernsPassword: whether a password was entered. Without a password, as in a recovery, the text must not
    ///     mention passwords.
    ///   - sentFields: the labels of the fields that were sent last.
    func iamError(in texts: FlowTexts, concernsPassword: Bool = true, sentFields: [String] = []) -> IAMError {
        let texts = texts.isEnglish ? FlowTexts() : texts
        if meansWrongCredentials {
            guard concernsPassword else {
                return error(.authenticationFailed, texts.text(for: message), IAMError.unknownDetails)
            }
            // Use one translation for all of these codes, so that the text does not reveal whether the user exists.
            return error(
                .authenticationFailed, texts.text(forErrorKey: "flows.executor.errors.invalid_credentials"),
                IAMError.wrongCredentials)
        }
        if let refusal = refusal(of: sentFields) { return refusal }
        guard let meaning = Self.meaning(of: code) else {
            let word = (text ?? "").asServerText(or: "")
            return error(
                .unknownError, texts.text(for: message) ?? (word.isEmpty ? nil : word),
                "The server refused the request.")
        }
        return error(meaning.code, texts.text(for: message), meaning.message)
    }

    /// Returns the error for a new user whose values the server refused. The text lists all `fields`, because the
    /// server does not say which of them it refuses. `nil` for all codes except `FET-1021` and `FET-1080`, and if there
    /// are no fields.
    private func refusal(of fields: [String]) -> IAMError? {
        let names = fields.joined(separator: ", ")
        guard !names.isEmpty else { return nil }
        return switch code {
        case "FET-1021":
            IAMError(
                .invalidInput, "The server does not accept this: \(names). Correct it and start again.",
                serverCode: code)
        case "FET-1080":
            IAMError(
                .userAlreadyExists, "Another user has this already: \(names). Correct it and start again.",
                serverCode: code)
        default: nil
        }
    }

    /// Returns an error with `serverText`, or else with `text`, which is this library's.
    private func error(_ meaning: IAMErrorCode, _ serverText: String?, _ text: String) -> IAMError {
        serverText.map { IAMError(meaning, localized: $0, serverCode: code) }
            ?? IAMError(meaning, text, serverCode: code)
    }

    /// Returns the error code and this library's message for a server's code; `nil` for an unknown one.
    private static func meaning(of code: String) -> (code: IAMErrorCode, message: String)? {
        let parts = code.split(separator: "-")
        guard parts.count == 2, let number = Int(parts[1]) else {
            return code == "INVALID_INPUT_METADATA" ? (.invalidInput, "The server does not accept these values.") : nil
        }
        return switch parts[0] {
        case "FET": ofExecutor(number)
        case "FLC", "ICS": ofFlow(code)
        case "FES": ofCall(number)
        case "FM": ofMetadata(number)
        case "USR": ofUser(number)
        case "AUTH": ofSecurity(number)
        case "SSE": (.serverError, "The server failed. Try again later.")
        default: nil
        }
    }

    private static func ofExecutor(_ number: Int) -> (IAMErrorCode, String)? {
        switch number {
        case 1007, 1024, 1061, 1080: (.userAlreadyExists, "There is a user with these details already.")
        case 1008: (.mfaFailed, "The code is wrong or has expired.")
        case 1009: (.mfaFailed, "Too many codes were asked for. Start again later.")
        case 1010: (.confirmationCodeInvalid, "The link is no longer valid. Ask for a new one.")
        case 1011: (.serverError, "The server could not make the link. Try again later.")
        case 1012: (.invalidGrant, "The sign-in that returned is not the one that was started. Start again.")
        case 1013: (.invalidGrant, "The other identity provider's response was not accepted. Start again.")
        case 1014: (.authenticationFailed, "The account of the other identity provider cannot be used here.")
        case 1015, 1019: (.authenticationFailed, "The passkey was not accepted. Try again.")
        case 1016: (.authenticationFailed, "There is no passkey for this account. Sign in another way.")
        case 1017, 1018: (.mfaFailed, "The passkey could not be registered. Try again.")
        case 1020: (.invalidInput, "The account needs more details.")
        case 1021: (.invalidInput, "The server does not accept these details. Correct them and start again.")
        case 1022, 1023: (.serverError, "The account could not be made. Try again later.")
        case 1025, 1026: (.registrationDisabled, "This application does not register users.")
        case 1027, 1028: (.authenticationFailed, "This account is not allowed to do that.")
        case 1029...1035: (.invalidInput, "The organization unit is not acceptable.")
        case 1036...1042: (.serverError, "The message with the code could not be sent. Try again later.")
        case 1043: (.invalidConfiguration, "The flow at the server lacks something it needs. Ask its administrator.")
        case 1044...1048: (.invalidInput, "The new password was not accepted. Choose another one.")
        case 1052...1059: (.invalidInput, "This kind of user cannot be chosen here.")
        case 1064: (.invalidInput, "The chosen action does not belong to this step.")
        case 1066: (.consentRequired, "The sign-in needs your consent.")
        case 1069: (.consentRequired, "The question for your consent took too long. Start again.")
        case 1073: (.invitationCodeInvalid, "The link or code is wrong, or no longer valid.")
        case 1081: (.sessionExpired, "There is no longer a session at the server. Sign in.")
        case 1082: (.mfaRequired, "A stronger or newer sign-in is needed.")
        default: nil
        }
    }

    private static func ofFlow(_ code: String) -> (IAMErrorCode, String)? {
        switch code {
        case "FLC-1001": (.invalidConfiguration, "The flow at the server lacks something it needs.")
        case "FLC-1002": (.invalidInput, "The chosen action does not belong to this step.")
        case "ICS-1001": (.unknownError, "The server did not let this step pass. Start again.")
        case "ICS-1002": (.sessionExpired, "The server lost track of this sign-in. Start again.")
        case "ICS-1003": (.invalidInput, "The captcha was not solved. Try again.")
        default: nil
        }
    }

    private static func ofCall(_ number: Int) -> (IAMErrorCode, String)? {
        switch number {
        case 1001: (.invalidInput, "The server could not read the request.")
        case 1003: (.invalidConfiguration, "The server does not know this application. Check applicationID.")
        case 1004: (.sessionExpired, "The sign-in took too long or was finished already. Start again.")
        case 1005: (.invalidConfiguration, "The server does not know this kind of flow.")
        case 1006: (.registrationDisabled, "This application does not register users.")
        case 1009: (.recoveryFailed, "This application does not recover passwords.")
        case 1010:
            (
                .invalidConfiguration,
                "This application may not sign in natively. Set clientID, or use a mobile application."
            )
        case 1011, 1012: (.invalidConfiguration, "The server wants a secret that no app on a device can keep.")
        case 1013: (.invalidConfiguration, "The flows at the server call each other without end.")
        case 1014: (.invalidConfiguration, "The server wants this app to be attested, and no attestation was sent.")
        case 1015: (.invalidConfiguration, "The server wants this app to be attested, and refused the attestation.")
        case 1016:
            (.invalidConfiguration, "The server wants this app to be attested, and has no platform set up for it.")
        case 1008, 1017...1019: (.invalidConfiguration, "This flow is for administrators.")
        default: nil
        }
    }

    private static func ofMetadata(_ number: Int) -> (IAMErrorCode, String)? {
        switch number {
        case 1002: (.invalidConfiguration, "The server does not know this application. Check applicationID.")
        case 1001...1005: (.invalidConfiguration, "The server cannot describe this application.")
        case 5001, 5002: (.serverError, "The server failed. Try again later.")
        default: nil
        }
    }

    /// Returns the meaning of a number after `USR-`: an error about a user's record.
    private static func ofUser(_ number: Int) -> (IAMErrorCode, String)? {
        switch number {
        case 1001, 1017, 1019: (.invalidInput, "The server does not accept these values.")
        case 1003: (.invalidInput, "This user no longer exists.")
        case 1014: (.invalidInput, "Another user has one of these values already.")
        case 1018: (.authenticationFailed, "This account is not allowed to do that.")
        case 1028: (.invalidInput, "This credential cannot be changed here.")
        default: nil
        }
    }

    private static func ofSecurity(_ number: Int) -> (IAMErrorCode, String)? {
        switch number {
        case 4010: (.sessionExpired, "The server no longer accepts the session. Sign in again.")
        case 4030: (.authenticationFailed, "This account is not allowed to do that.")
        default: nil
        }
    }
}
