extension IdentityConfiguration: DescribedSettings {
    /// What the members of a configuration are for.
    public static let descriptions = [
        SettingDescription(
            "providers", "The providers, in the order in which they are tried.",
            example: [.exampleProvider]),
        SettingDescription(
            "store",
            "Where sessions are kept; by default in the Keychain on Apple's systems, elsewhere in ~/.local/state/identity.",
            example: ["type": "file", "folder": "~/.local/state/example"], isUsual: true),
        SettingDescription(
            "onSessionEnd",
            "What happens when the session of the chosen account has ended: ask for a sign-in, or fallBack to the account of the next provider.",
            example: "fallBack", default: "ask"),
    ]
}

extension ProviderConfiguration: DescribedSettings {
    /// What the members of each of a configuration's providers are for.
    public static let descriptions = [
        SettingDescription(
            "name", "The realm of its accounts, which the store keeps: as long as it stays, people stay signed in.",
            example: "home"),
        SettingDescription("type", "The provider type.", example: "insforge"),
        SettingDescription("settings", "The settings of the type.", example: .exampleSettings),
        SettingDescription(
            "fallsBackWhenUnavailable",
            "Whether a new sign-in may use the next provider while this one's server cannot be reached.",
            example: true, default: false, isUsual: true),
        SettingDescription(
            "silentDeadline", "How long a silent look-up may take, in seconds.", example: 5, default: 2),
        SettingDescription(
            "whenTooSlow", "What happens when it takes longer: stop with an error, or skip to the next provider.",
            example: "skip", default: "stop"),
    ]
}

extension ConfigurationDocument.Profiles: DescribedSettings {
    /// What the members of a document with several configurations are for.
    static let descriptions = [
        SettingDescription(
            "profiles", "Configurations by their names, each with the members of a document that has only one.",
            example: ["production": ["providers": [.exampleProvider]]]),
        SettingDescription(
            "defaultProfile",
            "The name of the one that counts where nothing else is said; by default the only one.",
            example: "production", isUsual: true),
    ]
}

extension JSONValue {
    fileprivate static let exampleSettings: JSONValue = ["baseURL": "https://example.insforge.app"]
    fileprivate static let exampleProvider: JSONValue = [
        "name": "home", "type": "insforge", "settings": .exampleSettings,
    ]
}

extension SettingDescription {
    /// `$schema`, which a document may have for editors.
    static let schema = SettingDescription(
        "$schema", "The JSON Schema by which an editor completes and checks the document; nothing else reads it.",
        example: "identity.schema.json")

    static let schemaOfSchema: JSONValue = .object(schema.annotations).merged(with: ["type": "string"])
}
