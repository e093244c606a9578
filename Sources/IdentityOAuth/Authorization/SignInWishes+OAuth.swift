import IdentityKit

extension SignInWishes {
    /// The values of `prompt`; `nil` if the option is not set.
    package var prompts: [Prompt]? { prompt?.split(separator: " ").map { Prompt(rawValue: String($0)) } }
}

extension AuthorizationOptions {
    /// Returns a copy that takes the login hint and the greatest age from `asked`, if they are set there. The other
    /// options stay as they are configured.
    package func with(_ asked: SignInWishes) -> AuthorizationOptions {
        var options = self
        if let hint = asked.loginHint { options.loginHint = hint }
        if let age = asked.maximumAge { options.maxAge = Int(clamping: age.components.seconds) }
        return options
    }

    /// Returns a copy with `resource` in place of `configured` among the resources; unchanged if `resource` is `nil`.
    /// - Parameter resource: the identifier in the resource's own metadata.
    func with(resource: String?, for configured: String) -> AuthorizationOptions {
        var options = self
        if let resource { options.resources = resources.map { $0.hasBytes(of: configured) ? resource : $0 } }
        return options
    }

    /// Returns a copy with the authentication classes and the greatest age that a resource demands (RFC 9470 section
    /// 4). An option that `challenge` does not name stays as it is configured.
    func with(_ challenge: ResourceChallenge?) -> AuthorizationOptions {
        var options = self
        guard let challenge else { return options }
        if !challenge.acrValues.isEmpty { options.acrValues = challenge.acrValues }
        options.maxAge = challenge.maxAge ?? options.maxAge
        return options
    }
}
