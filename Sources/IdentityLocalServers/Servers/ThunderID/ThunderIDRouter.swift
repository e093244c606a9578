import Foundation
import IdentityKit

/// One request and the backend it acts on. The endpoints are its methods.
struct ThunderIDCall: Sendable {
    let request: LocalRequest
    let backend: ThunderIDBackend

    /// A form field that must be there, and not be empty.
    func required(_ name: String, _ complaint: String) throws -> String {
        guard let value = request.formValue(name).nonEmpty else {
            throw ThunderIDFailure.oauth("invalid_request", complaint)
        }
        return value
    }
}

/// Finds the endpoint for a request and turns what it throws into a response (ThunderID global HTTP behaviour).
struct ThunderIDRouter: Sendable {
    /// Where an unknown path is not found; everywhere else the server requires a token first.
    private static let publicPrefixes = [
        "/health", "/flow/", "/oauth2/", "/.well-known/", "/gate/", "/console/", "/error/", "/design/resolve/",
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
        // `HEAD` is `GET`; the listener leaves out the body.
        let method = request.method == "HEAD" ? "GET" : request.method
        if let route = routes.first(where: { $0.method == method }) { return route.endpoint }
        if method == "OPTIONS", !routes.isEmpty, path != "/oauth2/authorize" { return ThunderIDCall.preflight }
        let isPublic = Self.publicPrefixes.contains(where: path.hasPrefix)
        if routes.isEmpty {
            guard isPublic else { return ThunderIDCall.forbidden }
            throw ThunderIDFailure.pageNotFound
        }
        guard isPublic else { return ThunderIDCall.unknownMethod }
        throw ThunderIDFailure.methodNotAllowed
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

    /// A known path without this method: the security layer comes first.
    func unknownMethod() throws -> LocalResponse {
        _ = try authenticatedToken()
        throw ThunderIDFailure.methodNotAllowed
    }

    /// The preflight request that a browser sends before a request from another site.
    func preflight() throws -> LocalResponse { LocalResponse(status: 204) }
}
