import Foundation

/// A folder with the files that examples name.
struct ExampleFolder {
    let url: URL

    /// The variables that examples name.
    static let variables = Dictionary(
        uniqueKeysWithValues: [
            "API_TOKEN", "PUBLIC_KEY", "EXAMPLE_CLIENT_SECRET", "DATABASE_URL", "DIRECT_DATABASE_URL",
            "REGISTRATION_TOKEN",
        ].map { ($0, "example") } + [("EXAMPLE_KEY_D", "aReJzqE1Zoc6O5vXTQ1vPpP0FIpivjMfXg8HNo4bIyk")])

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Self.key.write(to: url.appendingPathComponent("client-key.pem"), atomically: true, encoding: .utf8)
    }

    /// A private key that protects nothing.
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaReJzqE1Zoc6O5vX
        TQ1vPpP0FIpivjMfXg8HNo4bIymhRANCAASZx6aGS6kKVGQJ/pZD+vB91haRnCRr
        Zcr4oEGO1F2yc9wuMzjgp4KJ7VDY79feuni6YHU/+v0ANGNbRjCnfs0G
        -----END PRIVATE KEY-----

        """

    func remove() { try? FileManager.default.removeItem(at: url) }
}
