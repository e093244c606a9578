import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Nothing that a person, a log or a debugger can see shows a secret, whatever the server does.
@Suite struct SecrecyTests {
    private static let password = "planted-password-of-somebody"
    private static let wrongPassword: Secret = "planted-wrong-password"
    /// What a server sends that repeats what it received.
    private static let echo = "planted_0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFGH"

    /// A provider and a way to sign in.
    enum SignIn: CaseIterable {
        case thunderIDNative, thunderIDRedirect, insForgePassword, insForgeOAuth, openIDConnect, oAuth2

        func scene() async throws -> ProviderScene {
            switch self {
            case .thunderIDNative: try await .thunderID(.native, password: Secret(password))
            // A plain request, whose address shows the state that a forged callback needs.
            case .thunderIDRedirect: try await .thunderID(.redirect, password: Secret(password), pushed: false)
            case .insForgePassword: try await .insForge(password: password)
            case .insForgeOAuth: try await .insForge(.oauth(.google), password: password)
            case .openIDConnect: try await .openIDConnect(password: Secret(password))
            case .oAuth2: try await .oAuth2(password: Secret(password))
            }
        }

        /// The paths that fail in the sign-in, and those that fail only after it.
        var weaknesses: (early: [String], late: [String]) {
            switch self {
            case .thunderIDNative:
                (
                    [
                        "/.well-known", "/oauth2/par", "/oauth2/authorize", "/flow/execute",
                        "/oauth2/auth/callback", "/oauth2/token", "/oauth2/jwks",
                    ], ["/oauth2/token", "/oauth2/revoke"]
                )
            case .thunderIDRedirect: (["/oauth2/token"], [])
            case .insForgePassword:
                (["/api/auth/users", "/api/auth/sessions"], ["/api/auth/refresh", "/api/auth/logout"])
            case .insForgeOAuth: (["/api/auth/oauth/google", "/api/auth/oauth/exchange"], [])
            case .openIDConnect: (["/.well-known", "/authorize", "/token", "/jwks"], ["/token", "/revoke"])
            case .oAuth2: (["/.well-known", "/authorize", "/token", "/api/resource"], ["/token", "/revoke"])
            }
        }

        /// What the server responds with in place of the right response, beside what any server may.
        var faults: [Fault] {
            switch self {
            case .thunderIDNative, .thunderIDRedirect, .openIDConnect, .oAuth2: faultsOfOAuth
            case .insForgePassword, .insForgeOAuth: faultsOfInsForge
            }
        }

        /// What an attacker opens the app with: `CODE` is the secret, `STATE` and `ISSUER` are what the page was given.
        var forgedCallbacks: [String] {
            switch self {
            case .thunderIDNative, .insForgePassword: []
            case .thunderIDRedirect: callbacksOfOAuth("com.example.app://callback")
            case .openIDConnect, .oAuth2: callbacksOfOAuth("com.example.app:/callback")
            case .insForgeOAuth:
                [
                    "example://callback?insforge_code=CODE&insforge_code=CODE", "example://evil?insforge_code=CODE",
                    "example://callback#insforge_code=CODE", "example://callback?access_token=CODE",
                    "example://callback?insforge_code=CODE&error=CODE", "example://callback?error=CODE",
                    "example://callback?CODE=1&CODE=2", "example://CODE@callback?insforge_code=CODE",
                    "example://callback?insforge_code=CODE",
                ]
            }
        }
    }

    /// What fails at which provider's server, and whether only after the sign-in.
    struct Weakness: Sendable, CustomStringConvertible {
        let signIn: SignIn
        let path: String
        let isLate: Bool

        var description: String { "\(path) \(isLate ? "after" : "in") the sign-in \(signIn)" }
    }

    private static let weaknesses = SignIn.allCases.flatMap { signIn in
        signIn.weaknesses.early.map { Weakness(signIn: signIn, path: $0, isLate: false) }
            + signIn.weaknesses.late.map { Weakness(signIn: signIn, path: $0, isLate: true) }
    }

    private static let faultsOfAll: [Fault] = [
        .answer(.text("<html>\(echo)", status: 502)), .answer(.text(echo)), .dropAnswer, .truncateAnswer,
        .answerAfterActing(.text("", status: 500)),
    ]

    private static let faultsOfOAuth: [Fault] = [
        .answer(.json(["error": "invalid_grant", "error_description": .string("No: \(echo)")], status: 400)),
        .answer(.json(["error": .string(echo), "error_description": .string(echo)], status: 401)),
        .answer(
            .json(["code": "XYZ-1", "message": .string(echo), "description": .string("No: \(echo)")], status: 400)),
        .answer(
            .json([
                "executionId": .string(echo), "flowStatus": "ERROR", "data": [:],
                "error": ["code": "XYZ-1", "message": ["defaultValue": .string(echo)]],
            ])),
        .answer(.json(["access_token": .string(echo), "token_type": "Bearer", "id_token": .string("a.\(echo).c")])),
        .answer(.redirect(to: "com.example.app://callback?code=\(echo)&state=\(echo)")),
        .answer(.redirect(to: "http://127.0.0.1:9/gate/error?errorCode=x&errorMessage=\(echo)")),
    ]

    private static let faultsOfInsForge: [Fault] =
        [
            .answer(.json(["accessToken": .string(echo)])),
            .answer(.json(["authUrl": .string("http://\(echo).example/")])),
        ]
        + [
            (400, "INVALID_INPUT"), (401, "AUTH_UNAUTHORIZED"), (403, "FORBIDDEN"), (403, "OTHER"),
            (404, "AUTH_USER_NOT_FOUND"), (429, "TOO_MANY_REQUESTS"), (500, "AUTH_OAUTH_CONFIG_ERROR"), (500, echo),
        ].map { status, code in
            let body: JSONValue = [
                "error": .string(code), "message": .string("Bad token \(echo)"), "statusCode": .integer(Int64(status)),
            ]
            return .answer(.json(body, status: status))
        }

    private static func callbacksOfOAuth(_ redirectURI: String) -> [String] {
        [
            "\(redirectURI)?code=CODE&state=wrong", "com.example.app://evil?code=CODE",
            "\(redirectURI)?code=CODE&code=CODE", "\(redirectURI)#code=CODE", "\(redirectURI)?access_token=CODE",
            "\(redirectURI)?CODE=1&CODE=2",
            "\(redirectURI)?error=CODE&error_description=CODE&state=STATE&iss=ISSUER",
            "\(redirectURI)?code=c&state=STATE&iss=CODE", "com.example.app://CODE@callback?code=CODE",
        ]
    }

    @Test("No fault of the server shows a secret", arguments: weaknesses)
    func faults(weakness: Weakness) async throws {
        let scene = try await weakness.signIn.scene()
        let wiretap = Wiretap(planted: [Self.password, Self.wrongPassword.reveal(), Self.echo])
        for fault in Self.faultsOfAll + weakness.signIn.faults {
            try await live(scene, wiretap, weakness, fault)
        }
        for entry in scene.http.log { wiretap.note(entry) }
        // A sign-in that fails at once shows little of either.
        #expect(wiretap.textCount > 10 && (wiretap.secretCount > 20 || !weakness.isLate))
        #expect(wiretap.leak == nil)
        await scene.stop()
    }

    @Test(
        "No forged callback shows the code it carries",
        arguments: SignIn.allCases.flatMap { signIn in signIn.forgedCallbacks.map { (signIn, $0) } })
    func callbacks(signIn: SignIn, template: String) async throws {
        let scene = try await signIn.scene()
        let wiretap = Wiretap(planted: [Self.echo])
        let browser = ScriptedBrowser { page in
            let state = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems?
                .first { $0.name == "state" }?.value
            let text = template.replacingOccurrences(of: "STATE", with: state ?? "")
                .replacingOccurrences(of: "ISSUER", with: scene.issuer)
                .replacingOccurrences(of: "CODE", with: Self.echo)
            return try #require(URL(string: text))
        }
        let chain = try chain(of: scene.provider(.init(prompter: nil, browser: browser)), scene, wiretap)
        do {
            _ = try await chain.signIn(scopes: [], deviceToken: "d")
            Issue.record("signed in")
        } catch {
            wiretap.note(error)
        }
        #expect(wiretap.leak == nil)
        await scene.stop()
    }

    private func chain(
        of provider: any SessionProvider, _ scene: ProviderScene, _ wiretap: Wiretap
    ) throws -> IdentityProviderChain {
        try IdentityProviderChain([.init(scene.account.realm, provider)]) {
            wiretap.note($0.description)
            wiretap.note($0)
        }
    }

    /// One life of a session with one fault in it, every step noted.
    private func live(
        _ scene: ProviderScene, _ wiretap: Wiretap, _ weakness: Weakness, _ fault: Fault
    ) async throws {
        let wrong = scene.credentials.merging(["password": Self.wrongPassword]) { $1 }
        let prompter = ScriptedPrompter(wrong, scene.credentials)
        let browser = ScriptedBrowser { page in
            let callback = try await scene.visit(page)
            wiretap.overhear(Data(callback.absoluteString.utf8))
            return callback
        }
        let provider = try scene.provider(
            .init(prompter: prompter, browser: browser), store: MemoryTokenStore(),
            transport: TappedTransport(wiretap))
        let chain = try chain(of: provider, scene, wiretap)
        func attempt(_ step: () async throws -> Void) async {
            do { try await step() } catch { wiretap.note(error) }
        }

        if !weakness.isLate { scene.http.fail(fault, pathPrefix: weakness.path) }
        if let insForge = provider as? InsForgeProvider {
            await attempt {
                wiretap.note(
                    try await insForge.signUp(email: "\(UUID().uuidString)@example.org", password: Self.password))
            }
        }
        await attempt { _ = try await chain.activeAccount(scopes: [], deviceToken: "d") }
        if weakness.isLate { scene.http.fail(fault, pathPrefix: weakness.path) }
        scene.clock.advance(by: scene.tokenLifetime)
        for _ in 0..<2 {
            await attempt {
                let token = try await chain.accessToken(for: scene.account, scopes: [])
                _ = try await chain.accessToken(
                    for: scene.account, scopes: [], resource: nil, freshness: .other(than: token))
            }
        }
        await attempt {
            _ = try await chain.requestAuthorization(for: scene.account, scopes: ["phone"], deviceToken: "d")
        }
        await attempt { try await chain.signOut(scene.account) }
        for attempt in await chain.explain(scopes: [], deviceToken: "d") { wiretap.note(attempt.description) }
        for prompt in prompter.prompts { wiretap.note(prompt) }
        scene.http.clearFaults()
    }
}
