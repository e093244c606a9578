import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The official SDK's defects in keeping secrets.
@Suite struct SecretDefectTests {
    @Test("defect D12: the most talkative log of a whole life shows no secret")
    func d12() async throws {
        let wiretap = Wiretap(planted: ["planted-password-of-robin", "planted-other-password"])
        let log = KeptLog()
        try await InsForgeFixture.run({
            $0.user.password = "planted-password-of-robin"
            $0.enforcesRateLimits = false
        }) { fixture in
            let pages = OpenedPages()
            let client = fixture.client {
                $0.global.transport = TappedTransport(wiretap)
                $0.global.logLevel = .trace
                $0.global.logDestination = .custom { _ in log }
                $0.auth.openURL = pages.open
            }
            let auth = client.auth
            let user = fixture.server.user
            wiretap.note(try await auth.signIn(email: user.email, password: user.password))
            fixture.expire()
            wiretap.note(try await auth.refreshAccessToken())
            wiretap.note(try #require(auth.getSession()))
            wiretap.note(try await auth.setProfile(["name": "Robin"]))
            // Another client of the same session; the first one holds the wiretap itself.
            let twin = fixture.client()
            _ = try await twin.auth.accessToken()
            wiretap.note(twin)
            try await auth.signOut()
            try await auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
            let callback = try await fixture.visit(try #require(pages.all.first))
            wiretap.overhear(Data(callback.absoluteString.utf8))
            wiretap.note(try await auth.handleAuthCallback(callback))
            try await auth.sendPasswordReset(email: user.email)
            let token = try await auth.exchangeResetPasswordToken(email: user.email, code: fixture.mailedCode)
            wiretap.note(token)
            try await auth.resetPassword(otp: token.token, newPassword: "planted-other-password")
            await #expect(throws: InsForgeAuthError.self) {
                try await auth.resetPassword(otp: token.token, newPassword: "planted-other-password")
            }
        }
        for line in log.lines { wiretap.note(line) }
        #expect(log.lines.count > 15 && wiretap.secretCount > 8)
        #expect(log.lines.contains("debug: POST /api/auth/sessions returned 200"))
        #expect(wiretap.leak == nil)
    }

    @Test("defect D12: a secret that got into a message does not get into the log")
    func d12Scrubbed() async throws {
        let log = KeptLog()
        let client = InsForgeClient(
            baseURL: try #require(URL(string: "ftp://" + String(repeating: "a1", count: 40))), anonKey: "anon",
            options: .init(global: .init(logLevel: .trace, logDestination: .custom { _ in log })))
        #expect(client.auth.getSession() == nil)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("a1a1") == false)
    }

    @Test("defect D13: messages in the system's log are private")
    func d13() throws {
        let source = try Source.text("Providers/InsForge/Client/LogDestination.swift")
        #expect(source.contains("privacy: .private"))
        #expect(!source.contains("privacy: .public"))
    }

    @Test("defect D14: by default a session is sealed, and in no user defaults")
    func d14() async throws {
        #expect(InsForgeClientOptions().auth.storage is KeychainAuthStorage)
        let folder = try TemporaryFolder()
        let storage = KeychainAuthStorage(folder: folder.url.appendingPathComponent("store"))
        try await InsForgeFixture.run(store: try storage.openStore()) { fixture in
            let client = try await fixture.signedInClient()
            let token = try #require(client.auth.getSession()?.accessToken)
            // Another process finds it at once.
            #expect(fixture.client(store: try storage.openStore()).auth.getSession()?.accessToken == token)
            let files = try #require(FileManager.default.enumerator(atPath: folder.url.path))
            for case let file as String in files {
                let content = FileManager.default.contents(atPath: folder.url.path + "/" + file) ?? Data()
                #expect(content.range(of: Data(token.utf8)) == nil, "\(file)")
            }
            #expect(!UserDefaults.standard.dictionaryRepresentation().values.contains { "\($0)".contains(token) })
        }
    }

    @Test("defect D15: the key is for this device alone, after its first unlock, or in a file for this user alone")
    func d15() async throws {
        let keychain = try Source.text("Sources/IdentityKit/Store/Keychain/SecurityKeychain.swift")
        #expect(keychain.contains("kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly"))
        #if os(Linux)
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/store"
        let store = try StoreConfiguration.file(folder: path, key: .keyFile()).open()
        _ = try await store.write(Data("x".utf8), for: StoreKey(.device, "x"), replacing: 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: path + ".key")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #endif
    }

    @Test(
        "defect D31: without randomness nothing is started, and nothing weaker is made up", .guards("code interception")
    )
    func d31() async throws {
        try await InsForgeFixture.run({ $0.legacy.servesHostedPage = true }) { fixture in
            let pages = OpenedPages()
            let client = fixture.client {
                $0.random = RandomSource { _ in throw RandomnessError() }
                $0.auth.openURL = pages.open
            }
            await #expect(throws: InsForgeAuthError.failed(RandomnessError())) {
                try await client.auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
            }
            #expect(pages.all.isEmpty && fixture.server.http.log.isEmpty)
            // This one cannot throw. It carries no proof, and its answer is refused.
            let page = client.auth.signInWithDefaultView(redirectTo: "example://cb")
            #expect(page.query?.contains("code_challenge") == false)
            let callback = try await fixture.visit(page)
            await #expect(throws: InsForgeAuthError.self) { try await client.auth.handleAuthCallback(callback) }
            #expect(throws: RandomnessError.self) { try AppleNonce(random: RandomSource { _ in [] }) }
        }
    }

    @Test("defect D34: every client has its own log")
    func d34() async throws {
        try await InsForgeFixture.run { fixture in
            let (first, second) = (KeptLog(), KeptLog())
            let names = Locked<[String]>([])
            let clients = [first, second].enumerated().map { index, log in
                fixture.client {
                    $0.global.logLevel = .debug
                    $0.global.logSubsystem = "app.\(index)"
                    $0.global.logDestination = .custom { name in
                        names.withLock { $0.append(name) }
                        return log
                    }
                }
            }
            _ = try await clients[0].auth.getPublicConfig()
            #expect(first.lines == ["debug: GET /api/auth/public-config returned 200"])
            #expect(second.lines.isEmpty)
            #expect(names.withLock { $0 } == ["app.0", "app.1"])
        }
    }

    @Test("defect D38: nothing of it is for Apple's systems alone: what is, stands behind a condition")
    func d38() throws {
        let appleOnly = ["CryptoKit", "os", "Combine", "AuthenticationServices", "UIKit", "AppKit", "Security"]
        for (file, text) in try Source.files(in: "Providers/InsForge") {
            for module in appleOnly where text.contains("\nimport \(module)\n") {
                #expect(text.contains("#if canImport(\(module))"), "\(file) imports \(module)")
            }
        }
    }
}

/// The sources, for what only they can tell.
enum Source {
    static let root = PackageFolder.url

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The Swift files below `folder`.
    static func files(in folder: String) throws -> [(String, String)] {
        let base = root.appendingPathComponent(folder).path
        let names = FileManager.default.enumerator(atPath: base)?.allObjects as? [String] ?? []
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map { ($0, try text("\(folder)/\($0)")) }
    }
}
