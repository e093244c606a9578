import IdentityKit

extension ThunderIDTexts {
    /// The message about an error for a person: the server's text, the translation of its sentence, or else the meaning
    /// of its code.
    public func text(for error: IAMError) -> String {
        if error.isLocalized { return error.message }
        return translation(of: error.message) ?? meaning(of: error.code) ?? error.message
    }
}

extension IAMError {
    /// The error in the form that the views show.
    static func shown(_ error: any Error) -> IAMError {
        error as? IAMError ?? IAMError(.unknownError, error.identityMessage, failureClass: error.identityFailureClass)
    }
}
