import Foundation
import IdentityKit

/// A failure of a refresh, as real servers, proxies and captive portals cause it.
public enum RefreshFault: String, Sendable, CaseIterable {
    // MARK: In front of the server

    /// 502 with the page of a gateway.
    case gatewayPage
    /// 504 with the page of a gateway.
    case gatewayTimeoutPage
    /// 200 with the page of a captive portal.
    case captivePage
    /// 403 with a page larger than a client's limit.
    case hugePage
    /// A redirection to the page of a captive portal.
    case captiveRedirect
    /// 403 with the page of a firewall.
    case firewallPage
    /// 407 of a proxy (RFC 9110 section 15.5.8).
    case proxyAuthentication

    // MARK: The server's pace

    /// 429 with seconds in `Retry-After` (RFC 9110 section 10.2.3).
    case retryAfterSeconds
    /// 503 with a date in `Retry-After`.
    case retryAfterDate
    case tooManyRequests
    case temporarilyUnavailable

    // MARK: Silence

    /// The request is read, but never answered.
    case silence
    /// The server acts on the request, but its response is lost.
    case lostResponse
    /// The server acts on the request, but only half its response arrives.
    case halfResponse
    /// The server acts on the request, but its response is empty.
    case emptyResponse
    /// The server acts on the request, but its response is larger than a client's limit.
    case hugeResponse

    // MARK: Refusals

    /// `invalid_grant`, as the RFC specifies (RFC 6749 section 5.2).
    case invalidGrant
    /// `invalid_grant` with the status 500.
    case invalidGrantAsServerError
    case invalidToken
    /// `invalid_request`, as in LemonLDAP::NG.
    case invalidRequest
    /// 401 without a body.
    case emptyUnauthorized
    /// `bad_refresh_token` with the status 200, as at GitHub.
    case badRefreshToken
    /// `invalid_refresh_token` beside `"ok": false` with the status 200, as at Slack.
    case notOK
    /// `interaction_required`, as at Microsoft Entra ID.
    case interactionRequired
    case loginRequired
    /// `invalid_client` with the status 401.
    case invalidClient
    case unauthorizedClient
    case invalidScope

    /// Whether the server has acted on the request when it fails.
    public var acts: Bool { [.lostResponse, .halfResponse, .emptyResponse, .hugeResponse].contains(self) }
}

extension LocalHTTPServer {
    /// Applies `fault` to the next requests at `path`.
    fileprivate func fail(_ fault: RefreshFault, at path: String, times: Int) {
        fail(fault.fault, pathPrefix: path, times: times)
    }
}

extension LocalThunderIDServer {
    /// Applies the fault to the next requests at the token endpoint, refreshes and others.
    /// - Parameter times: the number of requests that fail.
    public func fail(_ fault: RefreshFault, times: Int = 1) {
        http.fail(fault, at: configuration.pathPrefix + "/oauth2/token", times: times)
    }
}

extension LocalInsForgeServer {
    /// Applies the fault to the next refreshes.
    /// - Parameter times: the number of requests that fail.
    public func fail(_ fault: RefreshFault, times: Int = 1) {
        http.fail(fault, at: "/api/auth/refresh", times: times)
    }
}

extension LocalOpenIDConnectServer {
    /// Applies the fault to the next requests at the token endpoint, refreshes and others.
    /// - Parameter times: the number of requests that fail.
    public func fail(_ fault: RefreshFault, times: Int = 1) {
        http.fail(fault, at: configuration.path + OpenIDEndpoints.token, times: times)
    }
}

extension RefreshFault {
    fileprivate var fault: Fault {
        switch self {
        case .gatewayPage: .answer(.html(Self.page, status: 502))
        case .gatewayTimeoutPage: .answer(.html(Self.page, status: 504))
        case .captivePage: .answer(.html(Self.page))
        case .hugePage: .answer(.html(String(repeating: Self.page, count: 40_000), status: 403))
        case .captiveRedirect: .answer(.redirect(to: "https://portal.example/"))
        case .firewallPage: .answer(.html(Self.page, status: 403))
        case .proxyAuthentication: .answer(.html(Self.page, status: 407))
        case .retryAfterSeconds: Self.waiting("60", status: 429)
        case .retryAfterDate:
            Self.waiting(
                "Fri, 31 Dec 2100 23:59:59 GMT", status: 503, headers: [("Date", "Fri, 31 Dec 2100 23:58:59 GMT")])
        case .tooManyRequests: .answer(.text("", status: 429))
        case .temporarilyUnavailable: Self.refusal("temporarily_unavailable")
        case .silence: .hang
        case .lostResponse: .dropAnswer
        case .halfResponse: .truncateAnswer
        case .emptyResponse: .answerAfterActing(LocalResponse(status: 200))
        case .hugeResponse: .answerAfterActing(.json(["padding": .string(String(repeating: "x", count: 2 << 20))]))
        case .invalidGrant: Self.refusal("invalid_grant")
        case .invalidGrantAsServerError: Self.refusal("invalid_grant", status: 500)
        case .invalidToken: Self.refusal("invalid_token", status: 401)
        case .invalidRequest: Self.refusal("invalid_request")
        case .emptyUnauthorized: .answer(LocalResponse(status: 401))
        case .badRefreshToken: Self.refusal("bad_refresh_token", status: 200)
        case .notOK: .answer(.json(["ok": false, "error": "invalid_refresh_token"]))
        case .interactionRequired: Self.refusal("interaction_required")
        case .loginRequired: Self.refusal("login_required")
        case .invalidClient: Self.refusal("invalid_client", status: 401)
        case .unauthorizedClient: Self.refusal("unauthorized_client")
        case .invalidScope: Self.refusal("invalid_scope")
        }
    }

    private static let page = "<!doctype html><title>One moment</title><p>Come back later."

    private static func refusal(_ error: String, status: Int = 400) -> Fault {
        .answer(.json(["error": .string(error)], status: status))
    }

    private static func waiting(_ retryAfter: String, status: Int, headers: [(String, String)] = []) -> Fault {
        .answer(
            LocalResponse(
                status: status, headers: headers + [("Content-Type", "text/plain"), ("Retry-After", retryAfter)],
                body: Data()))
    }
}
