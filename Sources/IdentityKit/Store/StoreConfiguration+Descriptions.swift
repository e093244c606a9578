extension StoreConfiguration: DescribedSettings {
    /// What the settings of the types that need no registry are for.
    public static let descriptions = [
        SettingDescription("type", "Which kind of store keeps the sessions.", example: "file"),
        SettingDescription(
            "folder", "The private folder of the sessions; a relative path starts at the configuration file.",
            example: "~/.local/state/example"),
        SettingDescription(
            "key", "Where the key that seals the sessions is kept.", example: ["home": "keyFile"],
            default: ["home": "automatic"]),
        SettingDescription(
            "service", "The name that these sessions have in the Keychain.", example: "com.example.app",
            default: "swift-identity", isUsual: true),
        SettingDescription(
            "accessGroup", "The Keychain's access group that an app shares with its extensions.",
            example: "ABCDE12345.com.example.shared"),
    ]
}

extension StoreConfiguration.Key: DescribedSettings {
    /// What the members of `key` are for.
    public static let descriptions = [
        SettingDescription(
            "home",
            "What keeps the key; automatic is the Keychain on Apple's systems, the keyring on a Linux desktop, otherwise a key file.",
            example: "keyFile"),
        SettingDescription(
            "path", "The file of the key, for a keyFile; by default beside the folder, with .key added to its name.",
            example: "~/.config/example/sessions.key"),
        SettingDescription(
            "accessGroup", "The access group of the key, for a Keychain that an app shares with its extensions.",
            example: "ABCDE12345.com.example.shared"),
        SettingDescription(
            "protection", "What the person has to do before the key can be used, for a Keychain.",
            example: "biometry", default: "none"),
    ]
}
