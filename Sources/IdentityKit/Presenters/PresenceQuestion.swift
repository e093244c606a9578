#if canImport(LocalAuthentication) && (os(iOS) || os(macOS) || os(visionOS))
import Foundation
import LocalAuthentication

/// A question of the system's whether the person is there.
enum PresenceQuestion {
    /// Asks, and waits. The question ends with the task.
    /// - Parameter question: asks with a context.
    /// - Returns: the context, with which the system opens what the person has just opened.
    /// - Throws: `CancellationError` when the task, the person, the app or the system cancels; ``Failure`` when the check failed
    ///   or is not possible.
    static func ask(_ question: (LAContext) async throws -> Bool) async throws -> LAContext {
        let context = LAContext()
        let shared = Shared(context: context)
        do {
            let isConfirmed = try await withTaskCancellationHandler {
                try Task.checkCancellation()
                return try await question(context)
            } onCancel: {
                shared.context.invalidate()
            }
            guard isConfirmed else { throw CancellationError() }
            return context
        } catch let error as LAError {
            switch error.code {
            case _ where Task.isCancelled: throw CancellationError()
            case .userCancel, .appCancel, .systemCancel: throw CancellationError()
            default: throw Failure(errorDescription: error.localizedDescription)
            }
        }
    }

    struct Failure: LocalizedError {
        let errorDescription: String?
    }

    /// Unchecked is sound: the other task calls `invalidate()` alone, whose purpose is to end an evaluation that waits.
    private struct Shared: @unchecked Sendable {
        let context: LAContext
    }
}
#endif
