/// The validation of ID tokens. Signature, issuer, client, nonce and times are always checked, whatever the values here.
public struct TokenValidationConfig: Sendable, Hashable {
    /// Whether ID tokens are validated. `false` is refused, because anybody could then sign in as anybody.
    public var validate: Bool
    /// Whether the issuer is compared with that of the server's metadata. `false` is refused.
    public var validateIssuer: Bool
    /// The tolerated clock difference in seconds, at most 600. At least a minute is always tolerated, and a difference
    /// shown by the server's responses is corrected.
    public var clockTolerance: Int

    /// Creates a configuration, by default one that checks everything.
    public init(validate: Bool = true, validateIssuer: Bool = true, clockTolerance: Int = 0) {
        self.validate = validate
        self.validateIssuer = validateIssuer
        self.clockTolerance = clockTolerance
    }

    /// - Throws: ``IAMError`` with `invalidConfiguration` for a value that is refused.
    func check() throws {
        guard validate, validateIssuer else {
            throw IAMError(
                .invalidConfiguration, "ID tokens are always validated. Remove validate and validateIssuer.")
        }
        guard 0...600 ~= clockTolerance else {
            throw IAMError(.invalidConfiguration, "Set clockTolerance to at most 600 seconds.")
        }
    }

    /// How far the clocks may differ.
    var tolerance: Duration { .seconds(max(60, clockTolerance)) }
}
