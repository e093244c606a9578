import Foundation
import IdentityKit

/// A request, with the backend that handles it and the behaviour in effect. Each endpoint is a method of this type.
struct OpenIDCall: Sendable {
    let request: LocalRequest
    let backend: OpenIDBackend
    let behaviour: OpenIDBehaviour

    /// Returns the value of a form field; `nil` for an absent or empty field (RFC 6749 section 3.1).
    func field(_ name: String) -> String? { request.formValue(name).nonEmpty }

    /// Returns the value of a form field or, if that is absent or empty, of a query parameter; `nil` if both are absent
    /// or empty.
    func parameter(_ name: String) -> String? { field(name) ?? request.queryValue(name).nonEmpty }

    func requiredField(_ name: String) throws -> String {
        guard let value = field(name) else { throw OpenIDServerError.oauth("invalid_request", "\(name) is missing") }
        return value
    }
}

extension OpenIDBackend {
    /// Returns the endpoint's response, with the current misbehaviours, faults and variations applied. If a browser asks for
    /// the front page, returns that page unchanged.
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

    /// Returns the path of an endpoint: the request's path without the configured path at its beginning. If the request's path
    /// does not begin with the configured path, returns an empty string, which matches no endpoint. In the address of the RFC
    /// 8414 metadata, the configured path is at the end instead (section 3.1), unless `onlyOAuthMetadataBelowIssuer` is in
    /// effect.
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
