import Foundation

extension ProviderRegistry {
    /// The destinations of all providers: the addresses in `sendsTo`, and the address in the setting that the provider's
    /// type names as `PluginSetup.destinationSetting`.
    /// - Parameters:
    ///   - configuration: the configuration of the providers.
    ///   - variables: the environment variables that the settings may refer to.
    package func destinations(
        of configuration: IdentityConfiguration, _ variables: [String: String]
    ) -> DestinationRules {
        let rules = configuration.providers.map { provider in
            DestinationRules.Rule(
                provider.name, setting(of: provider, variables) + provider.sendsTo,
                isLimit: !provider.sendsTo.isEmpty)
        }
        return DestinationRules(rules, routes: configuration.routesByDestination)
    }

    private func setting(of provider: ProviderConfiguration, _ variables: [String: String]) -> [URL] {
        // Ignore a mistake in the settings, which is reported when the provider is made.
        guard let key = base(of: provider.type)?.setup.destinationSetting,
            let value = (try? expanded(provider))?.settings[key],
            let text = try? EnvironmentReferences(variables).resolve(value, at: key).value.stringValue
        else { return [] }
        return URL(string: text).map { [$0] } ?? []
    }
}
