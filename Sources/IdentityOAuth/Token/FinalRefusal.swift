import IdentityKit

/// A vendor's own way to say that a refresh token is dead. All three values must match, because one alone, such as
/// `invalid_request`, has other causes too.
public struct FinalRefusal: Sendable, Hashable {
    /// The status of the response, 200 to 499: a failing server (5xx) makes no decision.
    public let status: Int
    /// The `error` of the response.
    public let error: String
    /// The `error_description` of the response, or its `message`, byte for byte.
    public let description: String

    /// The words of a vendor.
    public init(status: Int, error: String, description: String) {
        (self.status, self.error, self.description) = (status, error, description)
    }

    /// Whether `refusal` matches all three values.
    func matches(_ refusal: ErrorResponse) -> Bool {
        (200..<500).contains(status) && refusal.status == status && refusal.error.rawValue.hasBytes(of: error)
            && refusal.errorDescription?.hasBytes(of: description) == true
    }
}

extension FinalRefusal: Decodable {
    /// Reads the properties by their names.
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
