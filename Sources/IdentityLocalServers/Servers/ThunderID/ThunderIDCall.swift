import Foundation
import IdentityKit

/// A request and the backend it acts on. The endpoints are its methods.
struct ThunderIDCall: Sendable {
    let request: LocalRequest
    let backend: ThunderIDBackend

    /// A required form field, which must not be empty.
    func required(_ name: String, _ complaint: String) throws -> String {
        guard let value = request.formValue(name).nonEmpty else {
            throw ThunderIDServerError.oauth("invalid_request", complaint)
        }
        return value
    }
}

extension ThunderIDBackend {
    /// The response of the endpoint, with the headers common to all (Backends/ThunderID.md#http).
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

    /// The request's path without the server's prefix.
    private func localPath(of request: LocalRequest) throws -> String {
        guard request.path.hasPrefix(configuration.pathPrefix) else { throw ThunderIDServerError.pageNotFound }
        let path = String(request.path.dropFirst(configuration.pathPrefix.count))
        guard configuration.servesGate || !path.hasPrefix("/gate/") else { throw ThunderIDServerError.pageNotFound }
        return path
    }
}
