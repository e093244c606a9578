/// Settings for the validation of ID tokens. The client always checks signature, issuer, client, nonce and times,
/// whatever the values here.
public struct TokenValidationConfig: Sendable, Hashable {
    /// Whether ID tokens are validated. `false` is refused, because anybody could then sign in as anybody.
    public var validate: Bool
    /// Whether the issuer is compared with the issuer in the server's metadata. `false` is refused.
    public var validateIssuer: Bool
    /// The tolerated clock difference in seconds, from 0 to 600. A value below 60 counts as 60. The client also corrects a
    /// difference that the server's responses show.
    public var clockTolerance: Int

    /// Creates a configuration, by default one that checks everything.
    public init(validate: Bool = true, validateIssuer: Bool = true, clockTolerance: Int = 0) {
        self.validate = validate
        self.validateIssuer = validateIssuer
        self.clockTolerance = clockTolerance
    }

    /// Refuses settings that would make the validation unsafe.
    /// - Throws: ``IAMError`` with `invalidConfiguration` if ``validate`` or ``validateIssuer`` is `false`, or
    ///   ``clockTolerance`` is not between 0 and 600.
    func check() throws {
        guard validate, validateIssuer else {
            throw IAMError(
                .invalidConfiguration, "ID tokens are always validated. Remove validate and validateIssuer.")
        }
        guard 0...600 ~= clockTolerance else {
            throw IAMError(.invalidConfiguration, "Set clockTolerance to at most 600 seconds.")
        }
    }

    /// The tolerated clock difference: ``clockTolerance``, but at least a minute.
    var tolerance: Duration { .seconds(max(60, clockTolerance)) }
}
