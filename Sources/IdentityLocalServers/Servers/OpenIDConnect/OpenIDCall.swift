import Foundation
import IdentityKit

/// A request, the backend it acts on, and how the server behaves meanwhile. The endpoints are its methods.
struct OpenIDCall: Sendable {
    let request: LocalRequest
    let backend: OpenIDBackend
    let behaviour: OpenIDBehaviour

    /// A form field's value; one without a value counts as absent (RFC 6749 section 3.1).
    func field(_ name: String) -> String? { request.formValue(name).nonEmpty }

    /// A form field or query parameter, for endpoints that take both.
    func parameter(_ name: String) -> String? { field(name) ?? request.queryValue(name).nonEmpty }

    func requiredField(_ name: String) throws -> String {
        guard let value = field(name) else { throw OpenIDServerError.oauth("invalid_request", "\(name) is missing") }
        return value
    }
}

extension OpenIDBackend {
    /// Does what a request asks for, and applies misbehaviour to the response.
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

    /// The path below the server's own; RFC 8414 section 3.1 puts its well-known part in front of the issuer's path.
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
