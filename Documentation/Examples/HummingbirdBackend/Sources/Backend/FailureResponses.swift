import Hummingbird
import IdentityKit
import IdentityOAuth

/// Tells browsers what to do, and the log what failed: which database is away is nothing for a browser.
struct FailureResponses<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let failure as any IdentityFailure {
            context.logger.error("\(failure.failureCode): \(failure.message)")
            throw answer(to: failure)
        }
    }

    private func answer(to failure: any IdentityFailure) -> HTTPError {
        if failure.asksForSignIn { return HTTPError(.unauthorized, message: "Sign in again.") }
        if failure.failureClass == .transient { return HTTPError(.serviceUnavailable, message: "Try again later.") }
        switch failure as? OAuthError {
        case .invalidCallback?, .refused?:
            return HTTPError(.badRequest, message: "Nobody was signed in. Sign in again.")
        default: return HTTPError(.internalServerError)
        }
    }
}
