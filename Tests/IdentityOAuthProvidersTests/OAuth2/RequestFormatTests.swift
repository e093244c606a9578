import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import Testing

/// Servers that want requests otherwise than the RFCs say.
@Suite struct RequestFormatTests {
    /// What a server was asked for a sign-in and a refresh.
    struct Seen {
        var page: [FormField] = []
        var tokens: [LocalRequest] = []
        var person: LocalRequest?
    }

    private static let client: (id: String, secret: String) = ("app+1", "a secret/%")

    /// A sign-in and a refresh at a server that notes what it is asked.
    static func visit(_ format: JSONValue, _ members: [String: JSONValue]) async throws -> Seen {
        let seen = Locked(Seen())
        let server = try await LocalHTTPServer.start { request in
            guard request.path == "/token" else {
                seen.withLock { $0.person = request }
                return .json([["id": 7, "name": "Ada Lovelace"]])
            }
            seen.withLock { $0.tokens.append(request) }
            return .json(["access_token": "a", "token_type": "Bearer", "refresh_token": "r", "expires_in": 60])
        }
        let browser = ScriptedBrowser { page in
            let fields = FormEncoding.decode(page.query ?? "") ?? []
            seen.withLock { $0.page = fields }
            let state = fields["state"] ?? ""
            guard let callback = URL(string: "com.example.app:/callback?code=c&state=\(state)") else {
                throw CancellationError()
            }
            return callback
        }
        let clock = ManualClock()
        let address = server.url.absoluteString
        let settings: [String: JSONValue] = [
            "issuer": .string(address), "clientID": .string(client.id), "clientSecret": .string(client.secret),
            "allowsLoopbackHTTP": true, "redirectURI": "com.example.app:/callback",
            "endpoints": [
                "authorization_endpoint": .string(server.url.appendingPathComponent("authorize").absoluteString),
                "token_endpoint": .string(server.url.appendingPathComponent("token").absoluteString),
            ],
            "account": [
                "url": .string(server.url.appendingPathComponent("me").absoluteString), "identifier": "0.id",
                "name": "0.name",
            ],
            "requestFormat": format,
        ]
        let chain = try OAuth2Fixture.chain(
            .object(settings.merging(members) { $1 }),
            in: IdentityEnvironment(store: MemoryTokenStore(), webAuthenticator: browser, time: clock.timeSource))
        let provider = try #require(chain.links.first?.provider as? OAuthSessionProvider)
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        #expect(account.account == "7")
        #expect(try await provider.sessions.storedCredential(of: account)?.profile?.displayName == "Ada Lovelace")
        clock.advance(by: .seconds(60))
        _ = try await provider.accessToken(for: account, scopes: [])
        await server.stop()
        return seen.withLock { $0 }
    }

    @Test("Without a setting, requests are as the RFCs say, and a list may say who signed in")
    func standard() async throws {
        let seen = try await Self.visit([:], ["clientAuthentication": "client_secret_post"])
        #expect(seen.page["client_id"] == Self.client.id)
        #expect(seen.tokens.count == 2 && seen.person?.method == "GET")
        for request in seen.tokens {
            let fields = request.form?.map { FormField($0.name, $0.value) } ?? []
            #expect(fields["client_id"] == Self.client.id && fields["client_secret"] == Self.client.secret)
        }
        #expect(seen.person?.header("Authorization") == "Bearer a")
        let header = try await Self.visit([:], [:]).tokens.first?.header("Authorization")
        #expect(header == "Basic " + Data("app%2B1:a+secret%2F%25".utf8).base64EncodedString())
    }

    @Test("The client has the server's names, in the address and in every form, and no other")
    func names() async throws {
        let seen = try await Self.visit(
            ["clientIDName": "client_key", "clientSecretName": "secret"],
            ["clientAuthentication": "client_secret_post"])
        #expect(seen.page["client_key"] == Self.client.id && seen.page["client_id"] == nil)
        for request in seen.tokens {
            let names = Set(request.form?.map(\.name) ?? [])
            #expect(names.isSuperset(of: ["client_key", "secret"]))
            #expect(names.isDisjoint(with: ["client_id", "client_secret"]))
        }
    }

    @Test("A parameter of the configuration cannot take the client's name")
    func takenName() async throws {
        await #expect(throws: OAuthError.invalidSetting(.reservedParameter("client_key"))) {
            try await Self.visit(
                ["clientIDName": "client_key"], ["authorizationParameters": ["client_key": "another"]])
        }
    }

    @Test("Identifier and secret are in Basic as they are")
    func plainBasic() async throws {
        for request in try await Self.visit(["encodesBasic": false], [:]).tokens {
            let pair = "\(Self.client.id):\(Self.client.secret)"
            #expect(request.header("Authorization") == "Basic " + Data(pair.utf8).base64EncodedString())
        }
    }

    @Test("User info is asked for by POST without a body, and the token stands behind another word")
    func userInfo() async throws {
        let seen = try await Self.visit(["userInfoMethod": "POST", "userInfoScheme": "OAuth"], [:])
        #expect(seen.person?.method == "POST" && seen.person?.body.isEmpty == true)
        #expect(seen.person?.contentType == nil)
        #expect(seen.person?.header("Authorization") == "OAuth a")
    }

    @Test("The type openid-connect has every setting for requests and responses that oauth2 has")
    func everySetting() throws {
        func names(_ plugin: any ProviderPlugin.Type) throws -> Set<String> {
            let types = ProviderRegistry([plugin]).schema["$defs"]?["provider"]?["allOf"]?.arrayValue ?? []
            let settings = types.first?["then"]?["properties"]?["settings"]?["properties"]
            return Set(try #require(settings?.objectValue).keys)
        }
        #expect(try names(OAuth2Plugin.self).subtracting(names(OpenIDConnectPlugin.self)) == ["account"])
    }

    @Test("User info of OpenID Connect is asked for in the same way, and PKCE can be switched off")
    func openID() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.vary(.claimsInUserInfoOnly)
        fixture.server.vary(.noCodeChallenge)
        let provider = try await fixture.signedIn {
            $0.requestFormat.userInfoMethod = .post
            $0.usesCodeChallenge = false
        }
        _ = try await provider.userInfo(for: fixture.account)
        let methods = fixture.server.http.log.filter { $0.path == "/userinfo" }.map(\.method)
        #expect(methods.count == 2 && Set(methods) == ["POST"])
        await fixture.server.stop()
    }
}
