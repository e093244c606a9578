import Foundation
import IdentityKit

/// Answers one method and path.
protocol OpenIDEndpoint: Sendable {
    /// - Throws: ``OpenIDFailure`` for an error answer; anything else becomes `server_error`.
    func respond(to call: OpenIDCall) throws -> LocalResponse
}

/// One request, the backend it acts on, and how the server behaves meanwhile.
struct OpenIDCall: Sendable {
    let request: LocalRequest
    let backend: OpenIDBackend
    let behaviour: OpenIDBehaviour

    /// A form field's value; one without a value counts as absent (RFC 6749 section 3.1).
    func field(_ name: String) -> String? {
        request.formValue(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A form field or query parameter, for endpoints that take both.
    func parameter(_ name: String) -> String? {
        field(name) ?? request.queryValue(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A form field that must be there.
    func requiredField(_ name: String) throws -> String {
        guard let value = field(name) else { throw OpenIDFailure.oauth("invalid_request", "\(name) is missing") }
        return value
    }
}

/// Finds the endpoint for a request, turns what it throws into an answer, and lets misbehaviour have the last word.
struct OpenIDRouter: Sendable {
    /// An exact method and path.
    struct Route: Sendable {
        let methods: Set<String>
        let path: String
        let endpoint: any OpenIDEndpoint

        init(_ methods: Set<String>, _ path: String, _ endpoint: any OpenIDEndpoint) {
            self.methods = methods
            self.path = path
            self.endpoint = endpoint
        }
    }

    let backend: OpenIDBackend

    func answer(_ request: LocalRequest) -> LocalResponse {
        let behaviour = backend.behaviour.withLock { $0 }
        let call = OpenIDCall(request: request, backend: backend, behaviour: behaviour)
        var response: LocalResponse
        let path = localPath(of: request)
        do {
            response = try endpoint(for: request.method, path).respond(to: call)
        } catch let failure as OpenIDFailure {
            response = failure.response(behaviour)
        } catch {
            response = OpenIDFailure.serverError.response(behaviour)
        }
        if response.status == 405 {
            response = response.with(header: "Allow", Self.methods(at: path).sorted().joined(separator: ", "))
        }
        let givesNonces = backend.configuration.requiresDPoPNonces || behaviour.has(.endlessDPoPNonces)
        if request.header("DPoP") != nil, givesNonces {
            response = response.with(header: "DPoP-Nonce", backend.dpop.currentNonce())
        }
        response = behaviour.rewritten(response, at: path)
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

    private func endpoint(for method: String, _ path: String) throws -> any OpenIDEndpoint {
        let routes = Self.routes.filter { $0.path == path }
        guard !routes.isEmpty else { throw OpenIDFailure.notFound }
        guard let route = routes.first(where: { $0.methods.contains(method) }) else {
            throw OpenIDFailure.methodNotAllowed
        }
        return route.endpoint
    }

    /// What an address is asked with (RFC 9110 section 15.5.6).
    private static func methods(at path: String) -> Set<String> {
        routes.filter { $0.path == path }.reduce(into: []) { $0.formUnion($1.methods) }
    }

    private static let routes: [Route] = [
        Route(["GET"], OpenIDEndpoints.openIDConfiguration, OpenIDConfigurationDocument()),
        Route(["GET"], OpenIDEndpoints.authorizationServerMetadata, OAuthMetadataDocument()),
        Route(["GET"], OpenIDEndpoints.keySet, OpenIDKeySetDocument()),

        Route(["GET", "POST"], OpenIDEndpoints.authorization, OpenIDAuthorize()),
        Route(["POST"], OpenIDEndpoints.pushedAuthorization, OpenIDPushRequest()),
        Route(["POST"], OpenIDEndpoints.login, OpenIDLogin()),
        Route(["POST"], OpenIDEndpoints.consent, OpenIDConsent()),
        Route(["GET", "POST"], OpenIDEndpoints.endSession, OpenIDEndSession()),

        Route(["POST"], OpenIDEndpoints.token, OpenIDTokenEndpoint()),
        Route(["POST"], OpenIDEndpoints.revocation, OpenIDRevocation()),
        Route(["POST"], OpenIDEndpoints.introspection, OpenIDIntrospection()),
        Route(["GET", "POST"], OpenIDEndpoints.userInfo, OpenIDUserInfo()),

        Route(["POST"], OpenIDEndpoints.deviceAuthorization, OpenIDDeviceAuthorization()),
        Route(["GET"], OpenIDEndpoints.device, OpenIDDeviceForm()),
        Route(["POST"], OpenIDEndpoints.device, OpenIDDeviceDecision()),

        Route(["GET"], OpenIDEndpoints.resource, OpenIDDemoResource()),
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
    static let resource = "/api/resource"
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
