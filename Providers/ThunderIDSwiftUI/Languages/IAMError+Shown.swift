import IdentityKit
import ThunderID

extension ThunderIDTexts {
    /// What to tell a person about an error: what the server said in their language, the translation of its sentence, or
    /// else the English one.
    public func text(for error: IAMError) -> String {
        error.isLocalized ? error.message : translation(of: error.message) ?? error.message
    }
}

extension IAMError {
    /// `error` as the views tell it.
    static func shown(_ error: any Error) -> IAMError {
        error as? IAMError ?? IAMError(.unknownError, error.identityMessage, failureClass: error.identityFailureClass)
    }
}
