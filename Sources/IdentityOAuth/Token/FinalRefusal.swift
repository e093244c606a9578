import IdentityKit

/// An error response by which a vendor refuses an expired or revoked refresh token, in place of `invalid_grant`. All three
/// values must match, because a single value, such as the error `invalid_request`, has other causes too.
public struct FinalRefusal: Sendable, Hashable {
    /// The status of the response, from 200 to 499. Any other status matches no response, because a failing server (5xx)
    /// decides nothing about the token.
    public let status: Int
    /// The `error` of the response, compared byte for byte.
    public let error: String
    /// The `error_description` of the response, or its `message` if there is no `error_description`. Compared byte for
    /// byte.
    public let description: String

    /// Creates a refusal from the values of a vendor's response. A status outside of 200 to 499 never matches.
    public init(status: Int, error: String, description: String) {
        (self.status, self.error, self.description) = (status, error, description)
    }

    /// Whether `refusal` has all three values, and the status is one from 200 to 499.
    func matches(_ refusal: ErrorResponse) -> Bool {
        (200..<500).contains(status) && refusal.status == status && refusal.error.rawValue.hasBytes(of: error)
            && refusal.errorDescription?.hasBytes(of: description) == true
    }
}

extension FinalRefusal: Decodable {
    /// Reads the settings that are named like the properties. All of them are required.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        status = try settings.read(
            "status",
            SettingRule { if !(200..<500).contains($0) { throw SettingError("Write a status from 200 to 499.") } },
            means: "The status of the response.", example: 400)
        error = try settings.read("error", .text, means: "Its error.", example: "invalid_request")
        description = try settings.read(
            "description", .text, means: "Its error_description or message, in full.", example: "The token is gone.")
    }
}
