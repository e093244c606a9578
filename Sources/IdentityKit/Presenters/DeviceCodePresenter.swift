import Foundation

/// Shows the code that the user enters on another device, for televisions, terminals and machines without a browser
/// (RFC 8628).
public protocol DeviceCodePresenter: Sendable {
    /// Shows the address and the code, and returns at once. The sign-in continues meanwhile.
    /// - Throws: any error when the code cannot be shown. The error ends the sign-in.
    func show(_ code: DeviceCode) async throws

    /// Asks the user to confirm the sign-in in the message that the server has sent (OpenID Connect CIBA), and returns at
    /// once. The default implementation shows nothing.
    /// - Parameters:
    ///   - recipient: the name or address that the user entered; `nil` when the user is known from a session.
    ///   - bindingMessage: the text in the message. Show it, so that the user can see that the message belongs to this
    ///     sign-in.
    ///   - expiresAt: the time after which the message can no longer be confirmed.
    /// - Throws: any error when the request cannot be shown. The error ends the sign-in.
    func showConfirmation(to recipient: String?, bindingMessage: String, expiresAt: Date) async throws
}

extension DeviceCodePresenter {
    /// Shows nothing, for a presenter that shows only codes.
    /// - Throws: nothing.
    public func showConfirmation(to recipient: String?, bindingMessage: String, expiresAt: Date) async throws {}
}

/// The code of a sign-in that the user enters on another device, and the address for it (RFC 8628 section 3.2).
public struct DeviceCode: Sendable, Equatable {
    public let userCode: String
    /// The address at which to enter the code.
    public let verificationURI: URL
    /// The address with the code in it, for a link or a QR code; `nil` when the server sends none. Show the code as well.
    public let verificationURIComplete: URL?
    public let expiresAt: Date
    /// A sentence to show before the code; `nil` when the app itself has configured the server. The sentence names the
    /// resource that asks for the sign-in, and the resource's authorization server.
    public var notice: String?

    public init(userCode: String, verificationURI: URL, verificationURIComplete: URL? = nil, expiresAt: Date) {
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresAt = expiresAt
    }
}
