#if canImport(LocalAuthentication) && (os(iOS) || os(macOS) || os(visionOS))
import Foundation
import LocalAuthentication

/// Asks the system to check that the person is present, such as with Face ID or a password.
enum PresenceQuestion {
    /// Asks, and waits for the answer. Cancelling the task dismisses the question.
    /// - Parameter question: evaluates a policy with the given context.
    /// - Returns: the context, with which the system now grants access without asking again.
    /// - Throws: `CancellationError` when the task, the person, the app or the system cancels, or `question` returns
    ///   `false`; ``Failure`` for every other `LAError`, such as a failed check; any other error of `question` unchanged.
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

    /// Unchecked conformance is sound: the cancellation handler only calls `invalidate()`, which another thread may call
    /// during an evaluation.
    private struct Shared: @unchecked Sendable {
        let context: LAContext
    }
}
#endif
