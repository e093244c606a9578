import Foundation

/// Shows the user what to enter on another device, for televisions, terminals and machines without a browser (RFC 8628).
public protocol DeviceCodePresenter: Sendable {
    /// Shows the address and the code, and returns at once. The sign-in continues meanwhile.
    /// - Throws: when the code cannot be shown, which ends the sign-in.
    func show(_ code: DeviceCode) async throws
}

/// What the user enters on another device.
public struct DeviceCode: Sendable, Equatable {
    /// The code to enter.
    public let userCode: String
    /// Where to enter it.
    public let verificationURI: URL
    /// The address with the code in it, for a link or a QR code. Show the code as well.
    public let verificationURIComplete: URL?
    /// When the code expires.
    public let expiresAt: Date
    /// A sentence about who asks, to be shown before the code: a resource that names its server itself; `nil` for none.
    public var notice: String?

    /// A code.
    public init(userCode: String, verificationURI: URL, verificationURIComplete: URL? = nil, expiresAt: Date) {
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresAt = expiresAt
    }
}
