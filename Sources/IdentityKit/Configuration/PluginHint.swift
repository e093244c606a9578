/// What to write in the app when a configuration names a provider type that is not registered.
///
/// The core knows no provider; these are names, so that the most frequent mistake is mended by copying a line.
enum PluginHint {
    private static let modules = [
        "thunderid": ("ThunderID", "ThunderIDPlugin"),
        "insforge": ("InsForge", "InsForgePlugin"),
        "openid-connect": ("OpenIDConnect", "OpenIDConnectPlugin"),
        "static-token": ("IdentityKit", "StaticTokenPlugin"),
        "environment-token": ("IdentityKit", "EnvironmentTokenPlugin"),
        "stored-account": ("IdentityKit", "StoredAccountPlugin"),
        "anonymous": ("IdentityKit", "AnonymousPlugin"),
    ]

    static func text(for type: String) -> String {
        guard let (module, plugin) = modules[type] else {
            return "Import the library that offers it and register its plug-in with ProviderRegistry."
        }
        return "Write \"import \(module)\" and register \(plugin).self with ProviderRegistry."
    }
}
