import IdentityKit

extension IdentityClient.SignInOptions {
    /// The words of the prompt; `nil` for none.
    package var prompts: [Prompt]? { prompt?.split(separator: " ").map { Prompt(rawValue: String($0)) } }
}

extension AuthorizationOptions {
    /// The same, with what one sign-in asks for in its place.
    package func with(_ asked: IdentityClient.SignInOptions) -> AuthorizationOptions {
        var options = self
        if let hint = asked.loginHint { options.loginHint = hint }
        if let age = asked.maximumAge { options.maxAge = Int(clamping: age.components.seconds) }
        return options
    }
}
