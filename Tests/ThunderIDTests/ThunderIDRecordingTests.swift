import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

@testable import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Every response of a real server that this provider can get is read by the provider's own types.
@Suite struct ThunderIDRecordingTests {
    /// What the provider does not ask for, so it has nothing to read it with.
    private static let notAskedFor: Set = [
        "/oauth2/dcr/register", "/gate/signin", "/gate/error",
    ]

    @Test("Recorded responses are understood", arguments: ["thunderid.api", "thunderid.oidc"])
    func understood(recording: String) throws {
        var read = 0
        for exchange in try Recording.load(recording) {
            let url = try #require(URL(string: exchange.request.url))
            guard !Self.notAskedFor.contains(url.path) else { continue }
            let body = Data((exchange.response.body ?? "").utf8)
            let response = try #require(
                HTTPURLResponse(
                    url: url, statusCode: exchange.response.status, httpVersion: nil,
                    headerFields: exchange.response.headers))
            try check(url, body, response, exchange)
            read += 1
        }
        #expect(read > 10)
    }

    private func check(_ url: URL, _ body: Data, _ response: HTTPURLResponse, _ exchange: RecordedExchange) throws {
        switch (url.path, response.statusCode) {
        case ("/flow/execute", 200):
            let received = try JSONDecoder().decode(FlowResponse.self, from: body)
            #expect((received.challengeToken != nil) == (received.flowStatus == .promptOnly))
            #expect((received.assertion != nil) == (received.flowStatus == .complete))
            #expect((received.error?.iamError.code == .sessionExpired) == (received.error?.code == "ICS-1002"))
            #expect(received.error?.iamError.code != .unknownError)
            let step = EmbeddedFlowResponse(received, texts: FlowTexts())
            #expect(step.inputs.count == received.inputs.count && step.actions.count == received.data.choices.count)
        case ("/flow/execute", _):
            let error = try JSONDecoder().decode(APIError.self, from: body)
            #expect(error.iamError.serverCode?.hasPrefix("FES-") == true)
            #expect(error.iamError.code != .unknownError)
        case ("/oauth2/auth/callback", _):
            let received = try JSONDecoder().decode(FlowAPI.RedirectResponse.self, from: body)
            let callback = try #require(URL(string: received.redirectURI))
            #expect(try AuthorizationResponse(callbackURL: callback)["code"] != nil)
        case ("/oauth2/token", 200):
            let tokens = try TokenEndpointResponse(body, response, for: .refreshToken("any"))
            #expect(tokens.refreshToken != nil && tokens.idToken != nil && tokens.expiresIn == .seconds(3600))
            #expect(try JSONWebToken(#require(tokens.idToken)).subject != nil)
        case ("/oauth2/token", _):
            #expect(throws: OAuthError.self) {
                try TokenEndpointResponse(body, response, for: .refreshToken("any"))
            }
        case ("/oauth2/revoke", 200):
            try RevocationRequest(token: "any", revocationEndpoint: url, client: OAuthClient(id: "any"))
                .checkResponse(body, response)
        case ("/oauth2/jwks", 200):
            _ = try JSONWebKeySet(body, response)
        case ("/oauth2/authorize", 302):
            let location = try #require(response.value(forHTTPHeaderField: "Location").flatMap(URL.init(string:)))
            let parameters = try CallbackURL(location)
            #expect(parameters["authId"] != nil || parameters["error"] != nil || parameters["errorCode"] != nil)
        case ("/oauth2/logout", 302):
            let location = try #require(response.value(forHTTPHeaderField: "Location").flatMap(URL.init(string:)))
            let parameters = try CallbackURL(location)
            #expect(parameters["executionId"] != nil && parameters["logoutId"] != nil)
        case ("/users/me", 200):
            let record = try JSONDecoder().decode([String: JSONValue].self, from: body)
            #expect(record["id"]?.stringValue != nil && record["attributes"]?.objectValue?.isEmpty == false)
        case ("/users/me", _), ("/scim2/Me", _):
            let error = ServerAPI.failure(body, response)
            #expect(error.serverCode?.hasPrefix("AUTH-") == true && error.code != .unknownError)
        case ("/oauth2/userinfo", _):
            if response.statusCode == 200 {
                #expect(try JSONValue(parsing: body)["sub"]?.stringValue != nil)
            } else {
                #expect(response.statusCode == 401 || response.statusCode == 403)
            }
        case ("/oauth2/par", _):
            #expect(try response.statusCode != 201 || JSONValue(parsing: body)["request_uri"] != nil)
        case ("/flow/meta", 200):
            let texts = FlowTexts(document: try JSONDecoder().decode([String: JSONValue].self, from: body))
            #expect(texts.isRegistrationFlowEnabled != nil && texts.language != nil)
            #expect(texts.resolve("{{ t(signin:forms.credentials.title) }}") != nil)
        case ("/.well-known/openid-configuration", 200), ("/.well-known/oauth-authorization-server", 200):
            let members = try #require(JSONValue(parsing: body).objectValue)
            let metadata = try AuthorizationServerMetadata(
                members: members, transportSecurity: .loopbackHTTPAllowed)
            #expect(metadata.tokenEndpoint != nil && metadata.revocationEndpoint != nil)
        default:
            Issue.record("\(exchange.request.method) \(url.path) \(response.statusCode) is not read by anything")
        }
    }
}
