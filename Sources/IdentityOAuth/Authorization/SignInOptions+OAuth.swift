import IdentityKit

extension IdentityClient.SignInOptions {
    /// The values of `prompt`; `nil` if the option is not set.
    package var prompts: [Prompt]? { prompt?.split(separator: " ").map { Prompt(rawValue: String($0)) } }
}

extension AuthorizationOptions {
    /// A copy in which the options given for one sign-in replace the configured ones.
    package func with(_ asked: IdentityClient.SignInOptions) -> AuthorizationOptions {
        var options = self
        if let hint = asked.loginHint { options.loginHint = hint }
        if let age = asked.maximumAge { options.maxAge = Int(clamping: age.components.seconds) }
        return options
    }

    /// A copy that names `resource` by its own identifier instead of by the configured one; unchanged for `nil`.
    func with(resource: String?, for configured: String) -> AuthorizationOptions {
        var options = self
        if let resource { options.resources = resources.map { $0.hasBytes(of: configured) ? resource : $0 } }
        return options
    }

    /// A copy that asks for the sign-in a resource demands (RFC 9470 section 4).
    func with(_ challenge: ResourceChallenge?) -> AuthorizationOptions {
        var options = self
        guard let challenge else { return options }
        if !challenge.acrValues.isEmpty { options.acrValues = challenge.acrValues }
        options.maxAge = challenge.maxAge ?? options.maxAge
        return options
    }
}
