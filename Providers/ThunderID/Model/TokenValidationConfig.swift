/// How the client validates ID tokens. Signature, issuer, client, nonce and times are checked whatever is set here.
public struct TokenValidationConfig: Sendable, Hashable {
    /// Whether ID tokens are validated. A client with `false` is refused: anybody could sign in as anybody.
    public var validate: Bool
    /// Whether the issuer is compared with that of the server's metadata. A client with `false` is refused.
    public var validateIssuer: Bool
    /// How many seconds this machine's clock and the server's may differ, at most 600. A minute is always allowed, and a
    /// difference that the server's responses show is corrected.
    public var clockTolerance: Int

    /// A configuration that checks everything by default.
    public init(validate: Bool = true, validateIssuer: Bool = true, clockTolerance: Int = 0) {
        self.validate = validate
        self.validateIssuer = validateIssuer
        self.clockTolerance = clockTolerance
    }

    /// - Throws: ``IAMError`` with `invalidConfiguration`.
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
