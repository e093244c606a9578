import Foundation
import IdentityKit

/// One request and the backend it acts on. The endpoints are its methods.
struct ThunderIDCall: Sendable {
    let request: LocalRequest
    let backend: ThunderIDBackend
}

/// Finds the endpoint for a request and turns what it throws into a response (ThunderID global HTTP behaviour).
struct ThunderIDRouter: Sendable {
    /// Where an unknown path is not found; everywhere else the server requires a token first.
    private static let publicPrefixes = [
        "/health/", "/flow/", "/oauth2/", "/.well-known/", "/gate/", "/console/", "/error/", "/design/resolve/",
        "/i18n/", "/mcp/", "/auth/", "/register/passkey/", "/access/", "/api/",
        "/upstream/",
    ]

    let backend: ThunderIDBackend

    func response(to request: LocalRequest) -> LocalResponse {
        let call = ThunderIDCall(request: request, backend: backend)
        var response: LocalResponse
        do {
            response = try endpoint(for: request)(call)()
        } catch let failure as ThunderIDFailure {
            response = failure.response
        } catch {
            response = ThunderIDFailure.internalError.response
        }
        response.headers.append(("X-Correlation-ID", Self.correlationID(of: request)))
        response.headers.append(("Date", HTTPDateText.format(backend.time.now)))
        if !response.headers.contains(where: { $0.name == "X-Frame-Options" }) {
            response.headers.append(("X-Frame-Options", "DENY"))
        }
        return response
    }

    private func endpoint(for request: LocalRequest) throws -> Route<ThunderIDCall>.Endpoint {
        let prefix = backend.configuration.pathPrefix
        guard request.path.hasPrefix(prefix) else { throw ThunderIDFailure.pageNotFound }
        let path = String(request.path.dropFirst(prefix.count))
        guard backend.configuration.servesGate || !path.hasPrefix("/gate/") else {
            throw ThunderIDFailure.pageNotFound
        }
        let routes = Self.routes.filter { $0.path == path }
        if let route = routes.first(where: { $0.method == request.method }) { return route.endpoint }
        guard routes.isEmpty else { throw ThunderIDFailure.methodNotAllowed }
        guard Self.publicPrefixes.contains(where: path.hasPrefix) else { return ThunderIDCall.forbidden }
        throw ThunderIDFailure.pageNotFound
    }

    private static func correlationID(of request: LocalRequest) -> String {
        let sent = ["X-Correlation-ID", "X-Request-ID", "X-Trace-ID"].lazy.compactMap(request.header)
        return sent.first { !$0.isEmpty } ?? UUID().uuidString.lowercased()
    }
}

extension ThunderIDCall {
    /// An unknown path: it needs the root permission, which no user's token has.
    func forbidden() throws -> LocalResponse {
        _ = try authenticatedToken()
        throw ThunderIDFailure.forbidden
    }
}
