import Foundation
import IdentityKit

@testable import IdentityOAuth

/// Answers of an authorization server's endpoints; see ``HTTPAnswer``. The question names the endpoint.
struct TokenAnswers: Sendable {
    private let client = OAuthClient(id: "client")
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let code: TokenGrant
    private let exchange: TokenGrant
    private let refresh: TokenGrant
    private let authorization: AuthorizationRequest
    private let endpoint: URL

    init() {
        let endpoint = made { try page("https://id.example.com/endpoint") }
        self.endpoint = endpoint
        let authorization = made { [client] in
            try AuthorizationRequest(
                client: client, authorizationEndpoint: endpoint, redirectURI: page("app.example:/callback"),
                scopes: ["openid"])
        }
        self.authorization = authorization
        code = TokenGrant.authorizationCode("code", pending: authorization.pending)
        refresh = made { try TokenGrant.refreshToken("token") }
        exchange = made { try TokenGrant.tokenExchange(subjectToken: "token", subjectTokenType: .accessToken) }
    }

    @Sendable func read(_ input: FuzzInput) {
        guard let answer = HTTPAnswer(input) else { return }
        let reader = FuzzInput.choose(
            answer.question,
            from: [
                ("token", { try readTokens(answer, code, isBound: false) }),
                ("bound", { try readTokens(answer, code, isBound: true) }),
                ("exchange", { try readTokens(answer, exchange, isBound: false) }),
                ("refresh", { try readTokens(answer, refresh, isBound: false) }),
                ("device", { try readDeviceAuthorization(answer) }),
                ("introspection", { _ = try IntrospectionResponse(answer.body, answer.response).expiresAt }),
                ("pushed", { try readPushedRequest(answer) }),
                ("userinfo", { try readUserInfo(answer) }),
                ("revocation", { try HTTPResponse(answer.body, answer.response).requireStatus([200]) }),
            ] as [(String, () throws -> Void)])
        do {
            try reader()
        } catch {
            error.tell()
            _ = RefreshFailure(error)
        }
        if let offset = ClockOffset(answer.response, sentAt: now, receivedAt: now) {
            rule(offset.seconds.isFinite, "a clock is infinitely wrong")
        }
    }

    private func readTokens(_ answer: HTTPAnswer, _ grant: TokenGrant, isBound: Bool) throws {
        let response = try TokenEndpointResponse(answer.body, answer.response, for: grant, isBound: isBound)
        rule(!response.accessToken.reveal().isEmpty, "an empty token was taken")
        rule(isBound || response.tokenType != .dpop, "a token that is bound to no key of ours was taken")
        if let expiresAt = response.expiresAt(sentAt: now) {
            rule(expiresAt > now && expiresAt <= now + 400 * 86_400, "a lifetime beyond all bounds")
        }
        rule("\(response.accessToken)" == "<redacted>", "a token was printed")
    }

    private func readDeviceAuthorization(_ answer: HTTPAnswer) throws {
        let authorization = try DeviceAuthorizationRequest(
            deviceAuthorizationEndpoint: endpoint, client: client, scopes: []
        ).response(from: answer.body, answer.response, receivedAt: now)
        rule(authorization.verificationURI.scheme?.lowercased() == "https", "a page without TLS would be shown")
        var polling = DevicePolling(authorization, startedAt: now)
        for _ in 0..<8 {
            guard case .wait(let pause) = polling.step(at: now) else { return }
            rule(pause >= .zero, "a pause of less than nothing")
            try polling.record(OAuthError.refused(ErrorResponse(error: .slowDown)), at: now)
        }
    }

    private func readPushedRequest(_ answer: HTTPAnswer) throws {
        let url = try PushedAuthorizationRequest(authorization, client: client, endpoint: endpoint)
            .url(from: answer.body, answer.response)
        rule(url.host == "id.example.com" && url.scheme == "https", "the browser would be sent to another server")
    }

    private func readUserInfo(_ answer: HTTPAnswer) throws {
        let info = try UserInfo(claims: HTTPResponse(answer.body, answer.response).object(), subject: "alice")
        rule(info.subject == "alice", "the claims are another person's")
        _ = AccountProfile(claims: info.claims)
    }
}
