import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

@Suite struct ClientAuthenticationTests {
    private static let secret: Secret = "a secret: +/%&é"

    /// A client as the server knows it, and the same client's settings.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let registered: LocalOpenIDConnectServer.Client.Authentication
        let used: ClientAuthentication
    }

    private static let key = Result { try SigningKey(keyID: "app-1") }

    static let cases = [
        Case(testDescription: "public", registered: .none, used: .none),
        Case(testDescription: "client_secret_basic", registered: .basic(secret), used: .clientSecretBasic(secret)),
        Case(testDescription: "client_secret_post", registered: .post(secret), used: .clientSecretPost(secret)),
    ]

    @Test(
        "A key from the settings proves the client, hours later too (RFC 7523 section 2.2)",
        .guards("client authentication"), arguments: [false, true])
    func privateKey(isInFile: Bool) async throws {
        let key = try Self.key.get()
        let fixture = try await OpenIDFixture {
            $0.clients = [
                .init(id: "an app", authentication: .privateKeyJWT([.object(key.publicKey.members)]))
            ]
        }
        var document: [String: JSONValue] = [
            "issuer": .string(fixture.server.issuer), "clientID": "an app", "allowsLoopbackHTTP": true,
            "redirectURI": .string(OpenIDFixture.redirectURI), "clientAuthentication": "private_key_jwt",
        ]
        let folder = try TemporaryFolder()
        let jwk = Data(key.jwk.reveal().utf8)
        if isInFile {
            let file = folder.file("key.jwk")
            try jwk.write(to: file)
            document["clientKeyFile"] = .string(file.path)
        } else {
            document["clientKey"] = try JSONValue(parsing: jwk)
        }
        let chain = try chain(document, fixture)
        try await signInAndRefresh(chain, fixture)
        await fixture.server.stop()
    }

    /// The provider of a configuration with these settings.
    private func chain(
        _ settings: [String: JSONValue], _ fixture: OpenIDFixture
    ) throws -> IdentityProviderChain {
        try ProviderRegistry([OpenIDConnectPlugin.self]).makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "work", type: "openid-connect", settings: .object(settings))]),
            environment: IdentityEnvironment(
                store: fixture.store, webAuthenticator: fixture.browser, time: fixture.clock.dates))
    }

    private func signInAndRefresh(_ chain: IdentityProviderChain, _ fixture: OpenIDFixture) async throws {
        #expect(try await chain.activeAccount(scopes: [], deviceToken: "d") == fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await chain.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 1)
    }

    /// Made for this test.
    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRm/VOEuzPiV4IDz/
        Qt8qTQ/ANySU5zLZHIfKloJ6spOhRANCAAQzzbM5Fx+YPkRVwooicOPVmCEL0PMC
        VjIawv2hT85Ssh2XXiI68r5MLuxq/6IJIBPnV4DDMEg5jnpk8VgQtfAT
        -----END PRIVATE KEY-----
        """

    @Test(
        "client_secret_jwt from the settings proves the client, and a wrong secret does not (OpenID Connect Core section 9)",
        .guards("client authentication"))
    func secretAssertion() async throws {
        let secret: Secret = "a secret: +/%&é of 32 bytes and more"
        let fixture = try await OpenIDFixture {
            $0.clients = [.init(id: "an app", authentication: .secretJWT(secret))]
        }
        var document: [String: JSONValue] = [
            "issuer": .string(fixture.server.issuer), "clientID": "an app", "allowsLoopbackHTTP": true,
            "redirectURI": .string(OpenIDFixture.redirectURI), "clientAuthentication": "client_secret_jwt",
            "clientSecret": .string(secret.reveal()),
        ]
        let signedIn = try chain(document, fixture)
        try await signInAndRefresh(signedIn, fixture)
        try await signedIn.signOut(fixture.account)
        for wrong in ["another secret of more than 32 bytes", "a secret: +/%&e of 32 bytes and more"] {
            document["clientSecret"] = .string(wrong)
            let chain = try chain(document, fixture)
            let error = await #expect(throws: (any Error).self) {
                try await chain.activeAccount(scopes: [], deviceToken: "d")
            }
            #expect(error?.identityFailureClass == .definitive)
        }
        document["clientSecret"] = .string(secret.reveal())
        for method in ["client_secret_basic", "client_secret_post"] {
            document["clientAuthentication"] = .string(method)
            let chain = try chain(document, fixture)
            await #expect(throws: (any Error).self) { try await chain.activeAccount(scopes: [], deviceToken: "d") }
        }
        await fixture.server.stop()
    }

    @Test(
        "An RSA key in PEM form signs by the algorithm that is set, in either form of PEM (RFC 7523 section 2.2)",
        .guards("client authentication"),
        arguments: ["RS256", "PS256", "RS512"], [false, true])
    func rsaKey(algorithm: String, isPKCS8: Bool) async throws {
        let der = try RSASigningKey().pkcs1
        let body = isPKCS8 ? Self.pkcs8(der) : der
        let label = isPKCS8 ? "PRIVATE KEY" : "RSA PRIVATE KEY"
        let lines = body.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = "-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n"
        let key = try SigningKey(pem: Secret(pem), keyID: "KEY1")
        let fixture = try await OpenIDFixture {
            $0.clients = [
                .init(id: "an app", authentication: .privateKeyJWT([.object(key.publicKey.members)]))
            ]
        }
        let folder = try TemporaryFolder()
        try Data(pem.utf8).write(to: folder.file("client.pem"))
        let document: [String: JSONValue] = [
            "issuer": .string(fixture.server.issuer), "clientID": "an app", "allowsLoopbackHTTP": true,
            "redirectURI": .string(OpenIDFixture.redirectURI), "clientKeyID": "KEY1",
            "clientKeyFile": .string(folder.file("client.pem").path), "clientKeyAlgorithm": .string(algorithm),
        ]
        try await signInAndRefresh(chain(document, fixture), fixture)
        for wrong in ["ES256", "EdDSA"] {
            let error = #expect(throws: ConfigurationError.self) {
                try chain(document.merging(["clientKeyAlgorithm": .string(wrong)]) { $1 }, fixture)
            }
            #expect(error?.message.contains("clientKeyFile") == true)
            #expect(error?.message.contains(wrong) == true)
        }
        await fixture.server.stop()
    }

    /// A key in PKCS #1 form inside PKCS #8, written by hand.
    private static func pkcs8(_ pkcs1: Data) -> Data {
        func element(_ tag: UInt8, _ content: Data) -> Data {
            Data([tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]) + content
        }
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        return element(0x30, Data([0x02, 0x01, 0x00] + algorithm) + element(0x04, pkcs1))
    }

    @Test("A secret is signed anew for each request, in the name of the team, by a key as Apple gives it")
    func signedSecret() async throws {
        let key = try SigningKey(pem: Secret(Self.pem), keyID: "KEY1")
        let fixture = try await OpenIDFixture {
            $0.clients = [
                .init(
                    id: "com.example.app",
                    authentication: .signedSecret(issuer: "TEAM1", keys: [.object(key.publicKey.members)]))
            ]
        }
        let folder = try TemporaryFolder()
        try Data(Self.pem.utf8).write(to: folder.file("AuthKey.p8"))
        let document: [String: JSONValue] = [
            "issuer": .string(fixture.server.issuer), "clientID": "com.example.app", "allowsLoopbackHTTP": true,
            "redirectURI": .string(OpenIDFixture.redirectURI), "clientAuthentication": "signed_client_secret",
            "clientKeyFile": .string(folder.file("AuthKey.p8").path), "clientKeyID": "KEY1",
            "clientSecretIssuer": "TEAM1",
        ]
        let chain = try chain(document, fixture)
        try await signInAndRefresh(chain, fixture)
        try await chain.signOut(fixture.account)
        await fixture.server.stop()
    }

    @Test(
        "A client authenticates wherever it asks: pushed request, token, refresh, revocation (RFC 6749 section 2.3)",
        .guards("client authentication"),
        arguments: cases, [false, true])
    func everywhere(client: Case, requiresPushedRequests: Bool) async throws {
        let fixture = try await OpenIDFixture {
            $0.clients = [.init(id: "an app: 100 %", authentication: client.registered)]
            $0.requiresPushedRequests = requiresPushedRequests
        }
        let provider = try await fixture.signedIn { $0.authentication = client.used }
        fixture.clock.advance(by: .seconds(3600))
        let token = try await provider.accessToken(for: fixture.account, scopes: [])
        try await provider.signOut(fixture.account)
        #expect(try await fixture.resourceStatus(token: token) == 401)
        #expect(fixture.server.counters.refreshes == 1)
        #expect(fixture.requests(to: "/par") == (requiresPushedRequests ? 1 : 0))
        await fixture.server.stop()
    }

    @Test("With a pushed request the browser sees the client and a reference alone (RFC 9126 section 4)")
    func pushed() async throws {
        let fixture = try await OpenIDFixture { $0.requiresPushedRequests = true }
        let page = try CallbackURL(await fixture.abandonedSignIn())
        #expect(page.parameters.map(\.name).sorted() == ["client_id", "request_uri"])
        await fixture.server.stop()
    }

    @Test("A wrong secret begins no session and says what to check")
    func wrongSecret() async throws {
        let fixture = try await OpenIDFixture {
            $0.clients = [.init(id: "service", authentication: .basic("right"))]
        }
        let provider = fixture.provider { $0.authentication = .clientSecretBasic("wrong") }
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "invalid_client")
        #expect(error?.failureClass == .definitive)
        await fixture.server.stop()
    }
}
