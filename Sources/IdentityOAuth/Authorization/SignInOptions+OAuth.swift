import IdentityKit

extension IdentityClient.SignInOptions {
    /// The words of the prompt; `nil` for none.
    package var prompts: [Prompt]? { prompt?.split(separator: " ").map { Prompt(rawValue: String($0)) } }
}

extension AuthorizationOptions {
    /// Replaces options by those that one sign-in asks for.
    package func with(_ asked: IdentityClient.SignInOptions) -> AuthorizationOptions {
        var options = self
        if let hint = asked.loginHint { options.loginHint = hint }
        if let age = asked.maximumAge { options.maxAge = Int(clamping: age.components.seconds) }
        return options
    }

    /// Options with a resource by the name that it gives itself in place of `configured`; as they are for `nil`.
    func with(resource: String?, for configured: String) -> AuthorizationOptions {
        var options = self
        if let resource { options.resources = resources.map { $0.hasBytes(of: configured) ? resource : $0 } }
        return options
    }

    /// Options with the sign-in that a resource asks for (RFC 9470 section 4).
    func with(_ challenge: ResourceChallenge?) -> AuthorizationOptions {
        var options = self
        guard let challenge else { return options }
        if !challenge.acrValues.isEmpty { options.acrValues = challenge.acrValues }
        options.maxAge = challenge.maxAge ?? options.maxAge
        return options
    }
}
