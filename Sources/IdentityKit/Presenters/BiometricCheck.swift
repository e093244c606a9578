#if canImport(LocalAuthentication) && (os(iOS) || os(macOS) || os(visionOS))
import Foundation
import LocalAuthentication

/// Asks for Face ID, Touch ID or the device's passcode (`LAContext`). Face ID requires `NSFaceIDUsageDescription` in the
/// app's `Info.plist`.
public struct BiometricCheck: PresenceCheck {
    /// Whether the device's passcode is accepted.
    public let allowsPasscode: Bool

    /// A check.
    public init(allowsPasscode: Bool = true) {
        self.allowsPasscode = allowsPasscode
    }

    /// Asks the user.
    /// - Throws: `CancellationError` when the user, the app or the system cancels; ``BiometricError`` when the check failed or
    ///   is not possible.
    public func confirm(reason: String) async throws {
        let context = LAContext()
        let policy: LAPolicy = allowsPasscode ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics
        do {
            guard try await context.evaluatePolicy(policy, localizedReason: reason) else { throw CancellationError() }
        } catch let error as LAError {
            switch error.code {
            case .userCancel, .appCancel, .systemCancel: throw CancellationError()
            default: throw BiometricError(detail: error.localizedDescription)
            }
        }
    }
}

/// The check failed or was not possible.
public struct BiometricError: IdentityFailure, Equatable {
    /// The system's description.
    public let detail: String

    /// `presence_not_confirmed`
    public var failureCode: String { "presence_not_confirmed" }
    /// Always transient.
    public var failureClass: FailureClass { .transient }
    /// What happened.
    public var message: String { "The user's presence could not be confirmed: \(detail)." }
}
#endif
