import Foundation

/// Shows a person what to do on another device: for televisions, terminals and machines without a browser (RFC 8628).
public protocol DeviceCodePresenter: Sendable {
    /// Shows the address and the code, and returns at once; the sign-in goes on meanwhile.
    /// - Throws: when nothing can be shown, which ends the sign-in.
    func show(_ code: DeviceCode) async throws
}

/// What a person enters on another device.
public struct DeviceCode: Sendable, Equatable {
    /// The code to enter.
    public let userCode: String
    /// Where to enter it.
    public let verificationURI: URL
    /// The same address with the code in it, for a link or a picture; show the code beside it all the same.
    public let verificationURIComplete: URL?
    /// When the code stops working.
    public let expiresAt: Date

    /// Describes a code.
    public init(userCode: String, verificationURI: URL, verificationURIComplete: URL? = nil, expiresAt: Date) {
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresAt = expiresAt
    }
}
