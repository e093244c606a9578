import Foundation
import IdentityKit

/// A request and the backend that it acts on. Each endpoint of the server is a method of this type.
struct ThunderIDCall: Sendable {
    let request: LocalRequest
    let backend: ThunderIDBackend

    /// Returns the value of a form field that must be present and not empty.
    /// - Throws: `invalid_request` with `complaint` as the description.
    func required(_ name: String, _ complaint: String) throws -> String {
        guard let value = request.formValue(name).nonEmpty else {
            throw ThunderIDServerError.oauth("invalid_request", complaint)
        }
        return value
    }
}

extension ThunderIDBackend {
    /// Returns the front page if a browser asks for it. For any other request, returns the response of the endpoint, with the
    /// headers that all endpoints send (Backends/ThunderID.md#http).
    public func response(to request: LocalRequest) -> LocalResponse {
        if let page = frontPage(for: request) { return page }
        var response: LocalResponse
        do {
            response = try ThunderIDCall.router.response(to: request.method, localPath(of: request)) { _ in
                ThunderIDCall(request: request, backend: self)
            }
        } catch let failure as ThunderIDServerError {
            response = failure.response
        } catch {
            response = ThunderIDServerError.internalError.response
        }
        let sent = ["X-Correlation-ID", "X-Request-ID", "X-Trace-ID"].lazy.compactMap(request.header)
        let correlationID = sent.first { !$0.isEmpty } ?? UUID().uuidString.lowercased()
        response.headers.append(("X-Correlation-ID", correlationID))
        response.headers.append(("Date", HTTPDateText.format(time.now)))
        if !response.headers.contains(where: { $0.name == "X-Frame-Options" }) {
            response.headers.append(("X-Frame-Options", "DENY"))
        }
        return response
    }

    /// Returns the request's path without the server's path prefix.
    /// - Throws: ``ThunderIDServerError/pageNotFound`` for a path without the prefix, and for a path under `/gate/` at a
    ///   server without hosted pages.
    private func localPath(of request: LocalRequest) throws -> String {
        guard request.path.hasPrefix(configuration.pathPrefix) else { throw ThunderIDServerError.pageNotFound }
        let path = String(request.path.dropFirst(configuration.pathPrefix.count))
        guard configuration.servesGate || !path.hasPrefix("/gate/") else { throw ThunderIDServerError.pageNotFound }
        return path
    }
}
