import Foundation
import IdentityKit

/// One request, the backend it acts on, and how the server behaves meanwhile. The endpoints are its methods.
struct OpenIDCall: Sendable {
    let request: LocalRequest
    let backend: OpenIDBackend
    let behaviour: OpenIDBehaviour

    /// A form field's value; one without a value counts as absent (RFC 6749 section 3.1).
    func field(_ name: String) -> String? { request.formValue(name).nonEmpty }

    /// A form field or query parameter, for endpoints that take both.
    func parameter(_ name: String) -> String? { field(name) ?? request.queryValue(name).nonEmpty }

    func requiredField(_ name: String) throws -> String {
        guard let value = field(name) else { throw OpenIDFailure.oauth("invalid_request", "\(name) is missing") }
        return value
    }
}

/// Finds the endpoint for a request, turns what it throws into a response, and applies misbehaviour to it.
struct OpenIDRouter: Sendable {
    let backend: OpenIDBackend

    func response(to request: LocalRequest) -> LocalResponse {
        let behaviour = backend.behaviour.withLock { $0 }
        let call = OpenIDCall(request: request, backend: backend, behaviour: behaviour)
        var response: LocalResponse
        let path = localPath(of: request)
        do {
            response = try endpoint(for: request.method, path)(call)()
        } catch let failure as OpenIDFailure {
            response = failure.response(behaviour)
        } catch {
            response = OpenIDFailure.serverError.response(behaviour)
        }
        if response.status == 405 {
            let allowed = Self.routes.filter { $0.path == path }.map(\.method).sorted()
            response = response.with(header: "Allow", allowed.joined(separator: ", "))
        }
        let givesNonces = backend.configuration.requiresDPoPNonces || behaviour.has(.endlessDPoPNonces)
        if request.header("DPoP") != nil, givesNonces {
            response = response.with(header: "DPoP-Nonce", backend.dpop.currentNonce())
        }
        response = behaviour.rewritten(
            response, at: path, isRefresh: request.formValue("grant_type") == "refresh_token")
        let date = backend.now(behaviour) + (behaviour.has(.wrongDateHeader) ? 86_400 : 0)
        return response.with(header: "Date", HTTPDateText.format(date))
    }

    /// The path below the server's own; RFC 8414 section 3.1 puts its well-known part in front of the issuer's path.
    private func localPath(of request: LocalRequest) -> String {
        let prefix = backend.configuration.path
        let wellKnown = OpenIDEndpoints.authorizationServerMetadata
        if backend.behaviour.withLock({ $0.has(.onlyOAuthMetadataBelowIssuer) }) {
            return request.path.hasPrefix(prefix + "/") ? String(request.path.dropFirst(prefix.count)) : ""
        }
        if request.path == wellKnown + prefix { return wellKnown }
        guard !prefix.isEmpty else { return request.path }
        guard request.path.hasPrefix(prefix + "/") else { return "" }
        let path = String(request.path.dropFirst(prefix.count))
        return path == wellKnown ? "" : path
    }

    private func endpoint(for method: String, _ path: String) throws -> Route<OpenIDCall>.Endpoint {
        let routes = Self.routes.filter { $0.path == path }
        guard !routes.isEmpty else { throw OpenIDFailure.notFound }
        guard let route = routes.first(where: { $0.method == method }) else { throw OpenIDFailure.methodNotAllowed }
        return route.endpoint
    }

    private static let routes: [Route<OpenIDCall>] = [
        Route("GET", OpenIDEndpoints.openIDConfiguration, OpenIDCall.openIDConfiguration),
        Route("GET", OpenIDEndpoints.authorizationServerMetadata, OpenIDCall.authorizationServerMetadata),
        Route("GET", OpenIDEndpoints.keySet, OpenIDCall.keySet),

        Route("GET", OpenIDEndpoints.authorization, OpenIDCall.authorize),
        Route("POST", OpenIDEndpoints.authorization, OpenIDCall.authorize),
        Route("POST", OpenIDEndpoints.pushedAuthorization, OpenIDCall.pushRequest),
        Route("POST", OpenIDEndpoints.login, OpenIDCall.logIn),
        Route("POST", OpenIDEndpoints.consent, OpenIDCall.consent),
        Route("GET", OpenIDEndpoints.endSession, OpenIDCall.endSession),
        Route("POST", OpenIDEndpoints.endSession, OpenIDCall.endSession),

        Route("POST", OpenIDEndpoints.token, OpenIDCall.token),
        Route("POST", OpenIDEndpoints.revocation, OpenIDCall.revoke),
        Route("POST", OpenIDEndpoints.introspection, OpenIDCall.introspect),
        Route("GET", OpenIDEndpoints.userInfo, OpenIDCall.userInfo),
        Route("POST", OpenIDEndpoints.userInfo, OpenIDCall.userInfo),

        Route("POST", OpenIDEndpoints.deviceAuthorization, OpenIDCall.authorizeDevice),
        Route("GET", OpenIDEndpoints.device, OpenIDCall.deviceForm),
        Route("POST", OpenIDEndpoints.device, OpenIDCall.decideOnDevice),

        Route("POST", OpenIDEndpoints.registration, OpenIDCall.register),
        Route("GET", OpenIDEndpoints.registration, OpenIDCall.readRegistration),
        Route("PUT", OpenIDEndpoints.registration, OpenIDCall.changeRegistration),
        Route("DELETE", OpenIDEndpoints.registration, OpenIDCall.deleteRegistration),

        Route("GET", OpenIDEndpoints.resource, OpenIDCall.demoResource),
        Route("GET", OpenIDEndpoints.notes, OpenIDCall.readNotes),
        Route("POST", OpenIDEndpoints.notes, OpenIDCall.writeNote),
        Route("GET", OpenIDEndpoints.privateNotes, OpenIDCall.readPrivateNotes),
        Route("GET", OpenIDEndpoints.notesMetadata, OpenIDCall.resourceMetadata),
        Route("GET", "/elsewhere" + OpenIDEndpoints.openIDConfiguration, OpenIDCall.foreignMetadata),
    ]
}

/// Where everything is, below the server's own path.
enum OpenIDEndpoints {
    static let openIDConfiguration = "/.well-known/openid-configuration"
    static let authorizationServerMetadata = "/.well-known/oauth-authorization-server"
    static let keySet = "/jwks"
    static let authorization = "/authorize"
    static let pushedAuthorization = "/par"
    static let login = "/login"
    static let consent = "/consent"
    static let endSession = "/end-session"
    static let token = "/token"
    static let revocation = "/revoke"
    static let introspection = "/introspect"
    static let userInfo = "/userinfo"
    static let deviceAuthorization = "/device-authorization"
    static let device = "/device"
    static let registration = "/register"
    static let resource = "/api/resource"
    static let notes = "/api/notes"
    static let privateNotes = "/api/notes/private"
    static let notesMetadata = "/.well-known/oauth-protected-resource/api/notes"
}

/// The fixed date format of HTTP (RFC 9110 section 5.6.7).
package enum HTTPDateText {
    package static func format(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .weekday, .hour, .minute, .second], from: date)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ value: Int?) -> String { String(String((value ?? 0) + 100).dropFirst()) }
        return "\(days[((parts.weekday ?? 1) - 1) % 7]), \(two(parts.day)) \(months[((parts.month ?? 1) - 1) % 12]) "
            + "\(parts.year ?? 1970) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) GMT"
    }
}
