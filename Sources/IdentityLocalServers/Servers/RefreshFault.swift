import Foundation
import IdentityKit

/// A failure of a refresh as real servers, proxies and captive portals cause it. Unless a case says otherwise, the server
/// does not act on the request.
public enum RefreshFault: String, Sendable, CaseIterable {
    // MARK: In front of the server

    /// 502 with the page of a gateway.
    case gatewayPage
    /// 504 with the page of a gateway.
    case gatewayTimeoutPage
    /// 200 with the page of a captive portal.
    case captivePage
    /// 403 with a page of about 2 MB, which is more than a client reads by default (1 MiB).
    case hugePage
    /// 302 to the page of a captive portal.
    case captiveRedirect
    /// 403 with the page of a firewall.
    case firewallPage
    /// 407 with the page of a proxy (RFC 9110 section 15.5.8).
    case proxyAuthentication

    // MARK: The server's pace

    /// 429 with 60 seconds in `Retry-After` (RFC 9110 section 10.2.3).
    case retryAfterSeconds
    /// 503 with a date in `Retry-After`, which is 60 seconds after the response's `Date`.
    case retryAfterDate
    /// 429 without the header `Retry-After`.
    case tooManyRequests
    /// `temporarily_unavailable` with the status 400.
    case temporarilyUnavailable

    // MARK: Silence

    /// The server reads the request, but neither acts on it nor responds.
    case silence
    /// The server acts on the request, but closes the connection without a response.
    case lostResponse
    /// The server acts on the request, but sends only half of the response's body.
    case halfResponse
    /// The server acts on the request, but responds with 200 and no body.
    case emptyResponse
    /// The server acts on the request, but responds with 2 MiB, which is more than a client reads by default (1 MiB).
    case hugeResponse

    // MARK: Refusals

    /// `invalid_grant` with the status 400, as RFC 6749 section 5.2 specifies.
    case invalidGrant
    /// `invalid_grant` with the status 500.
    case invalidGrantAsServerError
    /// `invalid_token` with the status 401.
    case invalidToken
    /// `invalid_request` with the status 400, as LemonLDAP::NG refuses a refresh token.
    case invalidRequest
    /// 401 without a body.
    case emptyUnauthorized
    /// `bad_refresh_token` with the status 200, as at GitHub.
    case badRefreshToken
    /// `invalid_refresh_token` beside `"ok": false` with the status 200, as at Slack.
    case notOK
    /// `interaction_required` with the status 400, as at Microsoft Entra ID.
    case interactionRequired
    /// `login_required` with the status 400.
    case loginRequired
    /// `invalid_client` with the status 401.
    case invalidClient
    /// `unauthorized_client` with the status 400.
    case unauthorizedClient
    /// `invalid_scope` with the status 400.
    case invalidScope

    /// Whether the server acts on the request, so that it may already have spent the refresh token.
    public var acts: Bool { [.lostResponse, .halfResponse, .emptyResponse, .hugeResponse].contains(self) }
}

extension LocalHTTPServer {
    /// Applies `fault` to the next requests whose path begins with `path`.
    fileprivate func fail(_ fault: RefreshFault, at path: String, times: Int) {
        fail(fault.fault, pathPrefix: path, times: times)
    }
}

extension LocalThunderIDServer {
    /// Applies the fault to the next requests at the token endpoint, with any grant type.
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
    /// Applies the fault to the next requests at the token endpoint, with any grant type.
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
