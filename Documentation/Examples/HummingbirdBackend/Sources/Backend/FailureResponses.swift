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
            throw HTTPError(
                failure.failureClass == .definitive ? .unauthorized : .serviceUnavailable, message: failure.message)
        }
    }
}
