import IdentityKit

extension ThunderIDTexts {
    /// The message for a person about an error: the server's own, the translation of its sentence, or else what its
    /// code means in their language.
    public func text(for error: IAMError) -> String {
        if error.isLocalized { return error.message }
        return translation(of: error.message) ?? meaning(of: error.code) ?? error.message
    }
}

extension IAMError {
    /// `error` as the views tell it.
    static func shown(_ error: any Error) -> IAMError {
        error as? IAMError ?? IAMError(.unknownError, error.identityMessage, failureClass: error.identityFailureClass)
    }
}
