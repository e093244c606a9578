import Hummingbird
import IdentityKit

/// Tells browsers what failed: sign in again, or try again later.
struct FailureResponses<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let failure as any IdentityFailure {
            throw HTTPError(status(for: failure), message: failure.message)
        }
    }

    private func status(for failure: any IdentityFailure) -> HTTPResponse.Status {
        if failure.asksForSignIn { return .unauthorized }
        return failure.failureClass == .transient ? .serviceUnavailable : .internalServerError
    }
}
