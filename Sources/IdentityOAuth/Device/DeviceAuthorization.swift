import Foundation
import IdentityKit

/// A sign-in that waits for a person to enter a code on another device (RFC 8628 section 3.2).
package struct DeviceAuthorization: Sendable, Hashable, Codable {
    /// The device code (`device_code`), with which this device polls the server.
    package let deviceCode: Secret
    /// The user code (`user_code`), which the person enters at ``verificationURI``.
    package let userCode: String
    /// The address at which the person enters ``userCode``.
    package let verificationURI: URL
    /// The address of the page with ``userCode`` in it, for a link or a QR code. Show the user code too: the person
    /// compares it with the code on the page (RFC 8628 section 3.3.1). `nil` if the response has no such address, or
    /// the address may not be used.
    package let verificationURIComplete: URL?
    /// The time at which both codes expire, by this machine's clock; at most a day after the response arrived.
    package let expiresAt: Date
    /// The shortest time between two polls, in seconds.
    package let interval: Int
    /// The scopes of the request, which the server may grant only in part.
    package let scopes: [String]

    init(_ received: HTTPResponse, scopes: [String], transportSecurity: TransportSecurity, receivedAt: Date) throws {
        let object = try received.object()
        deviceCode = try received.requiredToken("device_code", in: object)
        // The user code is shown in terminals, so control characters are refused.
        userCode = try received.requiredToken("user_code", in: object).reveal()
        // The person opens these addresses, so only addresses of web pages are accepted. The URL scheme of an app, for
        // example, is refused.
        func page(_ text: String, _ member: String) throws -> URL {
            guard let url = URL(string: text), transportSecurity.allows(url) else {
                throw received.unusable(.invalidMember(member))
            }
            return url
        }
        // Google still uses `verification_url`, the name of this member in an early draft.
        let address =
            try received.optionalString("verification_uri", in: object)
            ?? received.optionalString("verification_url", in: object)
        guard let address else { throw received.unusable(.missingMember("verification_uri")) }
        verificationURI = try page(address, "verification_uri")
        // An unusable complete address is dropped: the person can enter the user code instead.
        verificationURIComplete = object["verification_uri_complete"]?.stringValue
            .flatMap { try? page($0, "verification_uri_complete") }
        let times = try PollingTimes(received, in: object, receivedAt: receivedAt)
        (expiresAt, interval) = (times.expiresAt, times.interval)
        self.scopes = scopes
    }
}
