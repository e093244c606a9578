import Foundation
import IdentityKit

/// A request, the backend, and the behaviour in effect. The endpoints are its methods.
struct OpenIDCall: Sendable {
    let request: LocalRequest
    let backend: OpenIDBackend
    let behaviour: OpenIDBehaviour

    /// A form field's value; an empty one counts as absent (RFC 6749 section 3.1).
    func field(_ name: String) -> String? { request.formValue(name).nonEmpty }

    /// A form field or a query parameter, for endpoints that accept both.
    func parameter(_ name: String) -> String? { field(name) ?? request.queryValue(name).nonEmpty }

    func requiredField(_ name: String) throws -> String {
        guard let value = field(name) else { throw OpenIDServerError.oauth("invalid_request", "\(name) is missing") }
        return value
    }
}

extension OpenIDBackend {
    /// The response to a request, with the misbehaviour applied.
    public func response(to request: LocalRequest) -> LocalResponse {
        if let page = frontPage(for: request) { return page }
        let behaviour = behaviour.withLock { $0 }
        let path = localPath(of: request, behaviour)
        var response: LocalResponse
        do {
            response = try OpenIDCall.router.response(to: request.method, path) { _ in
                OpenIDCall(request: request, backend: self, behaviour: behaviour)
            }
        } catch {
            response = ((error as? OpenIDServerError) ?? .serverError).response(behaviour)
        }
        let givesNonces = configuration.requiresDPoPNonces || behaviour.has(.endlessDPoPNonces)
        if request.header("DPoP") != nil, givesNonces {
            response = response.with(header: "DPoP-Nonce", dpop.currentNonce())
        }
        response = behaviour.rewritten(
            response, at: path, isRefresh: request.formValue("grant_type") == "refresh_token")
        let date = now(behaviour) + (behaviour.has(.wrongDateHeader) ? 86_400 : 0)
        return response.with(header: "Date", HTTPDateText.format(date))
    }

    /// The request's path relative to the server's own; the well-known path of RFC 8414 section 3.1 precedes it.
    private func localPath(of request: LocalRequest, _ behaviour: OpenIDBehaviour) -> String {
        let prefix = configuration.path
        let wellKnown = OpenIDEndpoints.authorizationServerMetadata
        if behaviour.has(.onlyOAuthMetadataBelowIssuer) {
            return request.path.hasPrefix(prefix + "/") ? String(request.path.dropFirst(prefix.count)) : ""
        }
        if request.path == wellKnown + prefix { return wellKnown }
        guard !prefix.isEmpty else { return request.path }
        guard request.path.hasPrefix(prefix + "/") else { return "" }
        let path = String(request.path.dropFirst(prefix.count))
        return path == wellKnown ? "" : path
    }
}
