import IdentityKit

extension PostgresStoreSettings: DescribedSettings {
    /// What the settings are for.
    public static let descriptions = [
        SettingDescription(
            "url", "The database, as libpq reads it: an address or keywords.", example: "${DATABASE_URL}"),
        SettingDescription(
            "directURL", "The same database without a pooler, so that leases of a dead process are free at once.",
            example: "${DIRECT_DATABASE_URL}"),
        SettingDescription(
            "key", "The key that seals the records, the same on every machine.",
            example: ["home": "keyFile", "path": "/run/secrets/identity-key"]),
        SettingDescription(
            "tls", "How much of the server's certificate is checked, where the server is another machine.",
            example: "verify-ca", default: "verify-full"),
        SettingDescription(
            "schema", "The schema of the tables; by default the first one of the role's search path.",
            example: "identity"),
        SettingDescription(
            "tablePrefix", "What the names of the tables begin with.", example: "example",
            default: .string(PostgresTables.standard.prefix)),
        SettingDescription(
            "audit", "Whether sign-ins, refreshes and sign-outs are written down.", example: true, default: false),
        SettingDescription(
            "maximumConnections", "The largest number of connections of a process; one more hears of changes.",
            example: 16, default: 4),
        SettingDescription("deadline", "How long a call may take, in seconds.", example: 10, default: 5),
        SettingDescription(
            "longestDelay", "How long another machine's change may stay unknown at most, in seconds.", example: 30,
            default: 5),
    ]
}

extension PostgresKey: DescribedSettings {
    /// What the members of `key` are for.
    public static let descriptions = [
        SettingDescription(
            "home", "What keeps the key; allowUnencryptedStorage seals nothing.", example: "keyFile"),
        SettingDescription("path", "The file of the key, for a keyFile.", example: "/run/secrets/identity-key"),
        SettingDescription(
            "name", "The environment variable of the key, for a variable.", example: "IDENTITY_STORE_KEY"),
    ]
}
