import IdentityKit

extension ThunderIDTexts {
    /// The message about an error for a person: the server's text; or else the translation of the error's English
    /// sentence, the text for its code, or the sentence itself.
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
