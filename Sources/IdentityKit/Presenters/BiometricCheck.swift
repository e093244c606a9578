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

    /// Asks the user. The question ends when the task is cancelled.
    /// - Throws: `CancellationError` when the task, the user, the app or the system cancels; ``BiometricError`` when the check
    ///   failed or is not possible.
    public func confirm(reason: String) async throws {
        let policy: LAPolicy = allowsPasscode ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics
        _ = try await PresenceQuestion.ask { try await $0.evaluatePolicy(policy, localizedReason: reason) }
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
