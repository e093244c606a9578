import Foundation
import IdentityKit
import IdentityOAuthProviders
import IdentityOAuth
import Testing

@Suite struct OAuth2SettingsTests {
    private static func settings(_ members: [String: JSONValue]) -> JSONValue {
        let known: [String: JSONValue] = [
            "issuer": "https://id.example.com", "clientID": "app", "redirectURI": "com.example.app:/callback",
            "account": ["url": "https://api.example.com/me", "identifier": "id"],
        ]
        return .object(known.merging(members) { $1 }.filter { $0.value != .null })
    }

    @Test(
        "Issuer, client, redirect and account are enough; the rest is for servers that differ",
        arguments: [
            settings([:]),
            settings(["account": ["identifier": "authed_user.id"], "redirectURI": nil, "signIn": "device"]),
            settings([
                "account": [
                    "url": "https://api.example.com/me", "identifier": "data.0.id", "name": "data.0.name",
                    "email": "data.0.email", "username": "data.0.login", "picture": "data.0.picture",
                    "headers": ["Client-Id": "app", "Accept": "application/vnd.example+json; version=2"],
                ],
                "scopes": ["a", "b"], "scopeSeparator": ",", "usesCodeChallenge": false, "clientSecret": "s",
                "clientAuthentication": "client_secret_post",
                "tokenResponse": [
                    "encoding": "form", "memberPath": "authed_user", "scopeSeparator": ",", "assumesBearer": true,
                    "scopesAreList": true, "ignoresIDToken": true,
                ],
                "requestFormat": [
                    "clientIDName": "client_key", "clientSecretName": "secret", "deviceScopeName": "scopes",
                    "encodesBasic": false,
                    "userInfoMethod": "POST", "userInfoScheme": "OAuth",
                ],
                "loginHint": "ada@example.org", "uiLocales": ["de-CH"], "acrValues": ["urn:mfa"], "maxAge": 300,
                "audience": "https://api.example.com", "resources": ["https://api.example.com/a"],
                "authorizationDetails": [["type": "payment_initiation", "amount": "1.00"]],
                "bindsTokens": true, "pushesAuthorizationRequests": true, "prompt": ["consent"],
                "authorizationParameters": ["access_type": "offline"], "tokenParameters": ["tenant": "one"],
                "endpoints": [
                    "authorization_endpoint": "https://id.example.com/a", "token_endpoint": "https://id.example.com/t",
                ],
            ]),
        ])
    func accepted(settings: JSONValue) throws {
        #expect(try OAuth2Fixture.chain(settings).realms == ["plain"])
    }

    @Test(
        "What is wrong is named with its key path",
        arguments: [
            (["issuer": nil], "issuer"), (["clientID": nil], "clientID"), (["redirectURI": nil], "redirectURI"),
            (["account": nil], "account"), (["account": [:]], "account.identifier"),
            (["account": ["identifier": ""]], "account.identifier"),
            (["account": ["url": "http://api.example.com/me", "identifier": "id"]], "account.url"),
            (["account": ["url": "https://api.example.com", "identifer": "id"]], "account.identifier"),
            (["account": ["emails": "https://api.example.com/e", "identifier": "id"]], "account.emails"),
            (
                ["account": ["url": "https://a.example", "emails": "http://a.example/e", "identifier": "id"]],
                "account.emails"
            ),
            (
                [
                    "account": [
                        "url": "https://api.example.com/me", "identifier": "id", "headers": ["Authorization": "x"],
                    ]
                ], "account.headers"
            ),
            (
                ["account": ["url": "https://api.example.com/me", "identifier": "id", "headers": ["a": "b\r\nc: d"]]],
                "account.headers"
            ),
            (["scopeSeparator": "a"], "scopeSeparator"),
            (["tokenResponse": ["encoding": "xml"]], "tokenResponse.encoding"),
            (["tokenResponse": ["names": ["token": "access_token"]]], "tokenResponse.names"),
            (
                ["tokenResponse": ["names": ["access_token": "token"], "details": ["data.token"]]],
                "tokenResponse.details"
            ),
            (["tokenResponse": ["scopeSeparator": ""]], "tokenResponse.scopeSeparator"),
            (["requestFormat": ["clientIDName": ""]], "requestFormat.clientIDName"),
            (["requestFormat": ["clientIDName": "state"]], "requestFormat.clientIDName"),
            (["requestFormat": ["clientSecretName": "code"]], "requestFormat.clientSecretName"),
            (["requestFormat": ["clientIDName": "a", "clientSecretName": "a"]], "requestFormat.clientIDName"),
            (["requestFormat": ["deviceScopeName": "device_code"]], "requestFormat.deviceScopeName"),
            (["requestFormat": ["userInfoMethod": "PUT"]], "requestFormat.userInfoMethod"),
            (["requestFormat": ["userInfoScheme": "a b"]], "requestFormat.userInfoScheme"),
            (["usesCodeChallenge": "perhaps"], "usesCodeChallenge"), (["acrValues": ["a b"]], "acrValues"),
            (["resources": ["/relative"]], "resources"), (["resources": ["https://a.example/#b"]], "resources"),
            (["maxAge": -1], "maxAge"), (["uiLocales": [""]], "uiLocales"),
            (["authorizationDetails": [["amount": "1"]]], "authorizationDetails"),
            (["authorizationParameters": ["state": "x"]], "authorizationParameters"),
            (["authorizationParameters": ["authorization_details": "[]"]], "authorizationParameters"),
            (["endpoints": ["token_endpoint": "http://id.example.com/t"]], "endpoints.token_endpoint"),
        ] as [([String: JSONValue], String)])
    func mistakes(members: [String: JSONValue], keyPath: String) {
        let error = #expect(throws: ConfigurationError.self) { try OAuth2Fixture.chain(Self.settings(members)) }
        #expect(error?.message.hasPrefix("providers[0].settings.\(keyPath)") == true, "\(error?.message ?? "")")
    }

    @Test("The schema knows every setting")
    func schema() throws {
        let schema = ProviderRegistry([OAuth2Plugin.self]).schema
        let text = String(decoding: try JSONEncoder().encode(schema), as: UTF8.self)
        for name in [
            "issuer", "clientID", "clientSecret", "clientAuthentication", "clientKey", "clientKeyFile", "scopes",
            "redirectURI", "postLogoutRedirectURI", "signIn", "allowsLoopbackHTTP", "prompt", "authorizationParameters",
            "tokenParameters", "pushesAuthorizationRequests", "bindsTokens", "endpoints", "token_endpoint", "account",
            "identifier", "headers", "scopeSeparator", "usesCodeChallenge", "tokenResponse", "memberPath", "encoding",
            "requestFormat", "clientIDName", "clientSecretName", "encodesBasic", "userInfoMethod", "userInfoScheme",
            "assumesBearer", "scopesAreList", "ignoresIDToken", "loginHint", "uiLocales", "acrValues", "maxAge",
            "audience", "resources", "replay", "tokensByResource",
            "authorizationDetails", "trustedCertificates",
        ] {
            #expect(text.contains("\"\(name)\":"), "\(name)")
        }
    }
}
