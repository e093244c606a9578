#if canImport(LocalAuthentication) && (os(iOS) || os(macOS) || os(visionOS))
import Foundation
import LocalAuthentication

/// Asks for a face, a finger or the device's code (`LAContext`). Face ID wants `NSFaceIDUsageDescription` in the app's
/// `Info.plist`.
public struct BiometricCheck: PresenceCheck {
    /// Whether the device's code is taken instead of a face or a finger.
    public let allowsPasscode: Bool

    /// A check.
    public init(allowsPasscode: Bool = true) {
        self.allowsPasscode = allowsPasscode
    }

    /// Asks the person.
    /// - Throws: `CancellationError` when the person, the app or the system takes the question away; ``BiometricError``
    ///   when nobody can be asked or the answer was wrong.
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

/// Nobody could be asked, or the answer was wrong.
public struct BiometricError: IdentityFailure, Equatable {
    /// The system's words.
    public let detail: String

    /// `presence_not_confirmed`
    public var failureCode: String { "presence_not_confirmed" }
    /// Always transient.
    public var failureClass: FailureClass { .transient }
    /// What happened.
    public var message: String { "It could not be confirmed who is there: \(detail)." }
}
#endif
