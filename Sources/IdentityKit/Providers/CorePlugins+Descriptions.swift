extension StaticTokenPlugin.Settings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions = [
        SettingDescription("token", "The access token.", example: "${API_TOKEN}"),
        SettingDescription(
            "account", "The account's identifier; by default the provider's name.", example: "build-server"),
    ]
}

extension EnvironmentTokenPlugin.Settings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions = [
        SettingDescription(
            "variable", "The name of the environment variable with the access token.", example: "EXAMPLE_TOKEN",
            default: .string(EnvironmentTokenProvider.defaultVariable), isUsual: true),
        SettingDescription(
            "account", "The account's identifier; by default the provider's name.", example: "build-server"),
    ]
}

extension StoredAccountPlugin.Settings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions = [
        SettingDescription(
            "backend", "The address of the backend whose sessions another program keeps in the same store.",
            example: "https://id.example.com")
    ]
}

extension AnonymousPlugin.Settings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions = [
        SettingDescription(
            "token", "The access token of all guests; without it they have no access.", example: "${PUBLIC_KEY}",
            isUsual: true)
    ]
}
