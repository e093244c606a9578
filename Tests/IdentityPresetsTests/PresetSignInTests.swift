import Foundation
import IdentityKit
import IdentityTesting
import IdentityPresets
import IdentityLocalServers
import IdentityOAuth
import Testing

/// Every preset signs in at a local server that behaves as its vendor is known to.
@Suite struct PresetSignInTests {
    typealias Server = LocalOpenIDConnectServer

    /// How a vendor differs.
    struct Vendor: Sendable, CustomTestStringConvertible {
        let type: String
        var variations: [Server.Variation] = []
        var misbehaviour: Server.Misbehaviour?
        /// What the vendor's resource says about the person.
        var person: JSONValue?
        /// Settings for what the local server does in another way than the vendor.
        var settings: [String: JSONValue] = [:]

        var testDescription: String { type }
    }

    /// The local server separates scopes by commas in requests as well, which these vendors do not.
    private static let commas: [String: JSONValue] = ["scopeSeparator": ","]
    /// The local server gives a refresh token for `offline_access` only with the consent that OpenID Connect wants.
    private static let consent: [String: JSONValue] = ["prompt": ["consent"]]
    /// A list of addresses, of which the primary one counts.
    private static let emails: JSONValue = [
        ["email": "another@example.org", "primary": false, "verified": true],
        ["email": "ada@example.org", "primary": true, "verified": true],
    ]
    /// The address of a server, which alone can take a posted response.
    private static let web = "https://app.example.com/callback"
    private static let picture: JSONValue = "https://pictures.example.com/ada.png"

    static let vendors = [
        Vendor(
            type: "apple", variations: [.noNewRefreshToken, .personInForm, .claimsInUserInfoOnly],
            settings: ["redirectURI": .string(web)]),
        Vendor(type: "auth0", settings: consent),
        Vendor(type: "authentik", variations: [.refreshTokenForOfflineAccessOnly], settings: consent),
        Vendor(type: "cognito", variations: [.noNewRefreshToken]),
        Vendor(
            type: "discord",
            person: [
                "id": "80351110224678912", "username": "ada", "global_name": "Ada Lovelace", "avatar": "8342729096ea",
                "email": "ada@example.org", "verified": true,
            ]),
        Vendor(
            type: "dropbox", variations: [.noNewRefreshToken],
            person: [
                "account_id": "dbid:AAH4f99T0taONIb", "name": ["display_name": "Ada Lovelace"],
                "email": "ada@example.org", "profile_photo_url": picture,
            ]),
        Vendor(type: "entra", variations: [.refreshTokenForOfflineAccessOnly], settings: consent),
        Vendor(
            type: "entra-multitenant", variations: [.tenantIssuers, .refreshTokenForOfflineAccessOnly],
            settings: consent),
        Vendor(
            type: "github", variations: [.commaSeparatedScopes, .errorsWithStatusOK, .refreshTokenLifetime],
            person: [
                "id": 583231, "login": "ada", "name": "Ada Lovelace", "email": nil, "avatar_url": picture,
            ], settings: commas),
        Vendor(type: "gitlab", variations: [.extraTokenMembers]),
        Vendor(type: "google", variations: [.aliasedScope, .noNewRefreshToken]),
        Vendor(type: "keycloak", variations: [.extraTokenMembers], settings: consent),
        Vendor(
            type: "linkedin", variations: [.commaSeparatedScopes, .noCodeChallenge, .refreshTokenLifetime],
            misbehaviour: .missingNonce,
            person: [
                "sub": "782bbtaQ", "name": "Ada Lovelace", "email": "ada@example.org", "picture": picture,
                "locale": ["country": "GB", "language": "en"],
            ], settings: commas),
        Vendor(
            type: "notion", variations: [.noLifetime, .ownerInTokens],
            person: [
                "object": "user", "id": "a bot", "type": "bot",
                "bot": [
                    "owner": [
                        "type": "user",
                        "user": [
                            "id": "e79a0b74", "name": "Ada Lovelace", "avatar_url": nil,
                            "person": ["email": "ada@example.org"],
                        ],
                    ]
                ],
            ]),
        Vendor(type: "okta", variations: [.claimsInUserInfoOnly], settings: consent),
        Vendor(type: "salesforce", variations: [.noLifetime, .extraTokenMembers]),
        Vendor(type: "slack", variations: [.noLifetime, .errorsWithStatusOK, .noCodeChallenge]),
        Vendor(
            type: "spotify",
            person: [
                "account_id": "aB3dE5fG7h", "id": "ada", "display_name": "Ada Lovelace", "email": "ada@example.org",
                "images": [["url": picture, "height": 64, "width": 64]],
            ]),
        Vendor(type: "supabase", variations: [.noRefreshedIDToken]),
        Vendor(
            type: "twitch", variations: [.listedScopes, .lowercaseTokenType],
            person: [
                "sub": "713936733", "preferred_username": "Ada Lovelace", "email": "ada@example.org",
                "picture": picture, "iss": "https://id.twitch.tv/oauth2",
            ]),
        Vendor(
            type: "x",
            person: [
                "data": [
                    "id": "2244994945", "name": "Ada Lovelace", "username": "ada", "profile_image_url": picture,
                    "confirmed_email": "ada@example.org",
                ]
            ]),
        Vendor(type: "zitadel", variations: [.claimsInUserInfoOnly], settings: consent),
    ]

    @Test("No vendor is left out")
    func everyVendor() {
        #expect(Set(Self.vendors.map(\.type)) == Set(Presets.types))
    }

    @Test("A sign-in and a refresh, with the vendor's ways switched on", arguments: vendors)
    func session(vendor: Vendor) async throws {
        let preset = try Presets.preset(vendor.type)
        let clock = ManualClock()
        let secret: Secret = "a secret"
        let pem = try String(contentsOf: Presets.keyFile, encoding: .utf8)
        let key = try SigningKey(pem: Secret(pem), keyID: "KEY1")
        let usesPost = preset.settings["clientAuthentication"] == "client_secret_post"
        let rules = Server.Configuration { rules in
            rules.scopes += preset.settings["scopes"]?.arrayValue?.compactMap(\.stringValue) ?? []
            rules.clients = [
                Server.Client(
                    id: "app",
                    authentication: preset.needs.contains("clientKeyFile")
                        ? .signedSecret(issuer: "TEAM1", keys: [.object(key.publicKey.members)])
                        : preset.needs.contains("clientSecret") ? (usesPost ? .post(secret) : .basic(secret)) : .none
                ) { $0.redirectURIs += [Self.web] }
            ]
        }
        let server = try await Server.start(configuration: rules, clock: clock)
        vendor.variations.forEach(server.vary)
        if let misbehaviour = vendor.misbehaviour { server.misbehave(misbehaviour) }
        let method = preset.settings["requestFormat"]?["userInfoMethod"]?.stringValue ?? "GET"
        let resource = try await LocalHTTPServer.start { [person = vendor.person] request in
            let isAuthorized = request.header("Authorization")?.hasPrefix("Bearer ") == true
            guard isAuthorized, request.method == method else { return .json([:], status: isAuthorized ? 405 : 401) }
            return .json(request.path == "/emails" ? Self.emails : person ?? [:])
        }
        let settings = settings(of: vendor, preset, at: server, resource, secret)
        let login = ScriptedLogin(username: server.user.username, password: server.user.password)
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), webAuthenticator: ScriptedBrowser { try await Self.callback(of: login, at: $0) },
            time: clock.timeSource, variables: [:])
        let chain = try Presets.chain(vendor.type, settings, in: environment)
        let provider = try #require(chain.links.first?.provider as? any SessionBackedProvider)
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        let credential = try #require(try await provider.sessions.storedCredential(of: account))
        #expect(credential.refreshToken != nil)
        if vendor.type == "apple" {
            #expect(credential.profile?.displayName == "Ada Lovelace")
            #expect(credential.profile?.email == "ada@example.org")
        }
        if vendor.person != nil || preset.settings["scopes"]?.arrayValue?.contains("profile") == true {
            #expect(credential.profile?.displayName == "Ada Lovelace")
        }
        if vendor.person != nil { #expect(credential.profile?.email == "ada@example.org") }
        if vendor.type == "twitch" { #expect(credential.idToken != nil) }
        // The member id may change, so it does not name the account.
        if vendor.type == "spotify" { #expect(account.account == "aB3dE5fG7h") }
        if vendor.type == "discord" {
            let picture = "https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea.png"
            #expect(credential.profile?.picture?.absoluteString == picture)
        }
        #expect((vendor.person == nil) == account.account.hasPrefix(server.user.id))

        clock.advance(by: .seconds(3600))
        // The base type with all settings has the same session.
        let whole = try Presets.registry.expanded(
            ProviderConfiguration(name: "vendor", type: vendor.type, settings: .object(settings)))
        let base = try Presets.chain(
            whole.type, whole.settings.objectValue ?? [:], in: environment,
            registry: ProviderRegistry(KnownProviders.plugins))
        let other = try #require(base.links.first?.provider as? any SessionBackedProvider)
        _ = try await other.sessions.credential(for: account, scopes: [])
        #expect(server.counters.refreshes == (vendor.variations.contains(.noLifetime) ? 0 : 1))
        await resource.stop()
        await server.stop()
    }

    /// Signs in, and hands a posted response on as the server at the redirect URI does.
    private static func callback(of login: ScriptedLogin, at page: URL) async throws -> URL {
        let landing = try await login.visit(page)
        guard let form = landing.form else { return landing.url }
        let query = FormEncoding.encode(form.map { FormField($0.name, $0.value) })
        return try #require(URL(string: landing.url.absoluteString + "?" + query))
    }

    /// A configuration of the preset, with the vendor's addresses replaced.
    private func settings(
        of vendor: Vendor, _ preset: ProviderPreset, at server: Server, _ resource: LocalHTTPServer, _ secret: Secret
    ) -> [String: JSONValue] {
        func address(_ path: String) -> JSONValue { .string(server.url.appendingPathComponent(path).absoluteString) }
        var settings = Presets.needed(by: preset)
        settings["issuer"] = .string(server.issuer)
        settings["allowsLoopbackHTTP"] = true
        if settings["clientSecret"] != nil { settings["clientSecret"] = .string(secret.reveal()) }
        let local: [String: JSONValue] = [
            "authorization_endpoint": address("authorize"), "token_endpoint": address("token"),
            "revocation_endpoint": address("revoke"), "end_session_endpoint": address("end-session"),
            "device_authorization_endpoint": address("device-authorization"), "jwks_uri": address("jwks"),
        ]
        if let endpoints = preset.settings["endpoints"]?.objectValue {
            settings["endpoints"] = .object(local.filter { endpoints[$0.key] != nil })
        }
        if preset.settings["tenants"] != nil {
            settings["tenants"] = ["template": .string(server.issuer + "/{tenantid}"), "claim": "tid"]
        }
        if vendor.person != nil {
            var account: [String: JSONValue] = ["url": .string(resource.url.absoluteString)]
            if preset.settings["account"]?["emails"] != nil {
                account["emails"] = .string(resource.url.appendingPathComponent("emails").absoluteString)
            }
            settings["account"] = .object(account)
        }
        return settings.merging(vendor.settings) { $1 }
    }
}
