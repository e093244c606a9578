import Foundation
import IdentityKit

/// The challenge in the `WWW-Authenticate` header of a resource that refuses a request (RFC 6750 section 3, RFC 9449
/// section 7.1, RFC 9470 section 3, RFC 9728 section 5.1).
struct ResourceChallenge: Sendable, Equatable {
    /// The error code; `nil` if the challenge has none, as for a request without a token, or if the code is malformed.
    let error: OAuthErrorCode?
    let scopes: [String]?
    let acrValues: [String]
    /// The greatest age of the sign-in in seconds; `nil` if the challenge has no valid `max_age`.
    let maxAge: Int?
    let metadata: URL?
    /// Whether one of the challenges has the scheme `DPoP`, so that the resource accepts tokens bound to a key.
    let takesProofs: Bool

    /// Reads the challenge of a response: the first with an `error`, or else the first of all. Only ``takesProofs`` and
    /// ``metadata`` come from all challenges. Returns `nil` unless the status is 400, 401 or 403, and there is a
    /// challenge of the scheme `Bearer` or `DPoP`.
    init?(_ response: HTTPURLResponse) {
        guard [400, 401, 403].contains(response.statusCode) else { return nil }
        let challenges = AuthenticationChallenge.parse(response.value(forHTTPHeaderField: "WWW-Authenticate") ?? "")
            .filter { $0.isScheme("Bearer") || $0.isScheme("DPoP") }
        guard let challenge = challenges.first(where: { $0.parameters["error"] != nil }) ?? challenges.first else {
            return nil
        }
        let parameters = challenge.parameters
        error = parameters["error"].flatMap { $0.isErrorText ? OAuthErrorCode(rawValue: $0) : nil }
        scopes = Self.words(parameters["scope"])
        acrValues = Self.words(parameters["acr_values"]) ?? []
        takesProofs = challenges.contains { $0.isScheme("DPoP") }
        maxAge = parameters["max_age"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        metadata = challenges.lazy.compactMap { $0.parameters["resource_metadata"].flatMap(URL.init(string:)) }.first
    }

    private static func words(_ text: String?) -> [String]? {
        let words = text?.split(separator: " ").map(String.init) ?? []
        return words.isEmpty || !words.allSatisfy(\.isUnquotedWord) ? nil : words
    }
}
