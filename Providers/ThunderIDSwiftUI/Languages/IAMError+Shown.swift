import IdentityKit

extension ThunderIDTexts {
    /// Returns the message about an error for a person. A message from the server is returned unchanged. For any other error,
    /// this is the translation of the error's English message, or else the text for the error's code, or else the English
    /// message.
    public func text(for error: IAMError) -> String {
        if error.isLocalized { return error.message }
        return translation(of: error.message) ?? meaning(of: error.code) ?? error.message
    }
}

extension IAMError {
    /// Converts any error to an ``IAMError``, with `unknownError` as the code of an error of another type.
    static func shown(_ error: any Error) -> IAMError {
        error as? IAMError ?? IAMError(.unknownError, error.identityMessage, failureClass: error.identityFailureClass)
    }
}
