extension SettingsReader {
    /// Reads the setting `trustedCertificates`: certificates to trust besides those of the system's authorities.
    /// - Returns: `nil` when the setting is absent.
    /// - Throws: ``ConfigurationError``.
    package func trustedCertificates() throws -> TrustedCertificates? {
        try readIfPresent(
            "trustedCertificates",
            means:
                "Certificate authorities to trust besides the system's, in PEM form or as paths of files; on Linux only with libcurl.",
            example: ["authority.pem"])
    }

    /// Reads the setting `allowsLoopbackHTTP`: whether plain `http` to this machine is accepted; by default it is
    /// not.
    /// - Parameter companions: the other settings that an example with this setting needs.
    /// - Throws: ``ConfigurationError``.
    package func allowsLoopbackHTTP(with companions: JSONValue = [:]) throws -> Bool {
        try read(
            "allowsLoopbackHTTP", means: "Whether plain http to this machine is accepted, for a local test server.",
            example: true, default: false, with: companions)
    }

    /// Reads the setting `replay`: how the server treats a refresh token that is sent twice; by default
    /// ``ReplayPolicy/never``.
    /// - Throws: ``ConfigurationError``.
    package func replay() throws -> ReplayPolicy {
        try read(
            "replay",
            means:
                "What the server makes of a refresh token that comes twice: a theft (never), nothing (always), nothing until its successor is used (parentAlways) or for some seconds (window); with signInInstead it never comes twice.",
            example: ["window": 30], default: "never")
    }
}
