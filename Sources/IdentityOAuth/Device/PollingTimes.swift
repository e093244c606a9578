import Foundation
import IdentityKit

/// The lifetime of a sign-in that the client polls for, and the pause between polls (RFC 8628 section 3.2, OpenID Connect
/// CIBA Core section 7.3).
struct PollingTimes {
    let expiresAt: Date
    /// The shortest time between two polls, in seconds.
    let interval: Int

    /// The interval in seconds if the response has no member `interval`.
    private static let defaultInterval = 5

    /// Reads the members `expires_in` and `interval` of `object`.
    /// - Throws: ``OAuthError/invalidResponse(_:host:)``.
    init(_ received: HTTPResponse, in object: [String: JSONValue], receivedAt: Date) throws {
        guard let lifetime = object["expires_in"]?.secondsValue, lifetime > 0 else {
            throw received.unusable(
                object["expires_in"] == nil ? .missingMember("expires_in") : .invalidMember("expires_in"))
        }
        // At most a day: an absurd lifetime would exceed the range of dates.
        expiresAt = receivedAt + min(lifetime, 86_400)
        switch object["interval"] {
        case nil, .null: interval = Self.defaultInterval
        case let value?:
            guard let seconds = value.secondsValue, 0...3600 ~= seconds else {
                throw received.unusable(.invalidMember("interval"))
            }
            interval = max(1, Int(seconds.rounded(.up)))
        }
    }
}
