import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// When the launcher must not answer: each test first sees that it would.
@Suite struct LauncherCautionTests {
    @Test("A changed configuration has to be read again")
    func configuration() async throws {
        try await withReadyLauncher { installed async throws in
            let file = installed.fixture.configurationFile
            var content = try Data(contentsOf: file)
            content.append(UInt8(ascii: " "))
            try content.write(to: file)
            #expect(try await installed.isSilent("token"))
            #expect(try await installed.call("token").status == 0)
            #expect(try await installed.alone("token").status == 0)
            try Data("{}".utf8).write(to: file)
            #expect(try await installed.isSilent("token"))
            #expect(try await installed.call("token").status == 78)
        }
    }

    @Test("Variables that change what the configuration means are the whole tool's to read")
    func variables() async throws {
        try await withReadyLauncher { installed async throws in
            #expect(try await installed.isSilent("token", variables: ["SWIFT_IDENTITY_PROVIDER": "work"]))
            #expect(
                try await installed.isSilent(
                    "token", variables: ["SWIFT_IDENTITY__home__baseURL": "https://example.com"]))
            #expect(try await installed.isSilent("token", variables: ["HOME": MissingPath.make()]))
            // A stored token takes no request.
            let transport = ["SWIFT_IDENTITY_TRANSPORT": "urlsession"]
            #expect(try await installed.alone("token", variables: transport).status == 0)
        }
    }

    @Test(
        "A configuration that refers to variables, or might, leaves no shortcut",
        arguments: ["${CLIENT}", #"\u0024{CLIENT}"#])
    func references(reference: String) async throws {
        try await withInstalledTool { installed async throws in
            let file = installed.fixture.configurationFile
            let text = try String(contentsOf: file, encoding: .utf8)
                .replacingOccurrences(of: "swift-demo", with: reference)
            try text.write(to: file, atomically: true, encoding: .utf8)
            #expect(try await installed.call(["token"], variables: ["CLIENT": "swift-demo"]).status == 0)
            #expect(try await installed.isSilent("token", variables: ["CLIENT": "swift-demo"]))
        }
    }

    @Test("The launcher leaves bound, unverified and ended sessions to the tool")
    func otherTokens() async throws {
        try await withReadyLauncher { installed async throws in
            try await installed.changeSession { $0["tokenType"] = "DPoP" }
            #expect(try await installed.isSilent("token", "--format", "header"))
            #expect(try await installed.call("token", "--format", "header").output.hasPrefix("Authorization: DPoP eyJ"))
            try await installed.changeSession { $0["tokenType"] = "bearer" }
            #expect(try await installed.alone("token", "--format", "header").output.hasPrefix("Authorization: Bearer "))
            try await installed.changeSession { $0["pendingVerification"] = ["idToken": "unverified"] }
            #expect(try await installed.isSilent("token"))
            try await installed.changeSession { $0["pendingVerification"] = nil }
            #expect(try await installed.alone("token").status == 0)
            try await installed.changeSession {
                $0["sessionEndsAt"] = .number(Date().timeIntervalSinceReferenceDate - 1)
            }
            #expect(try await installed.isSilent("token"))
        }
    }

    @Test(
        "A stored token with a line break is printed by neither program",
        arguments: ["a\r\nX-Injected: 1", "a\nb", "å"])
    func lineBreak(token: String) async throws {
        try await withReadyLauncher { installed async throws in
            try await installed.changeSession { $0["accessToken"] = .string(token) }
            for format in ["raw", "header", "json"] {
                #expect(try await installed.isSilent("token", "--format", format))
                let result = try await installed.call("token", "--format", format)
                #expect(result.status != 0 && result.output.isEmpty, "\(result)")
            }
        }
    }

    @Test("A configuration that others can write is read by neither program", arguments: [0o664, 0o646, 0o666])
    func openConfiguration(mode: Int) async throws {
        try await withReadyLauncher { installed async throws in
            let file = installed.fixture.configurationFile.path
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            #expect(try await installed.isSilent("token"))
            for arguments in [["token"], ["whoami"], ["login"], ["init", "insforge", "--offline"]] {
                let result = try await installed.call(arguments)
                #expect(result.status == 78 && result.output.isEmpty, "\(arguments): \(result)")
                #expect(result.errors.contains("run: chmod go-w \(file)\n"), "\(arguments): \(result)")
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            #expect(try await installed.alone("token").status == 0)
        }
    }

    @Test("Another chosen account is another answer")
    func choice() async throws {
        try await withReadyLauncher { installed async throws in
            let first = try await installed.alone("token").output
            #expect(try await installed.fixture.signInAtThunderID().status == 0)
            #expect(try await installed.isSilent("token"))
            let second = try await installed.call("token").output
            #expect(second != first)
            #expect(try await installed.alone("token").output == second)
        }
    }

    @Test("A session that is over gives no token")
    func signedOut() async throws {
        try await withReadyLauncher { installed async throws in
            #expect(try await installed.fixture.run("logout").status == 0)
            #expect(try await installed.isSilent("token"))
            #expect(try await installed.call("token").status == 3)
        }
    }

    @Test("A scope that was not granted is an error the whole tool explains")
    func scopes() async throws {
        try await withReadyLauncher { installed async throws in
            try await installed.changeSession { $0["scopes"] = ["openid", "profile"] }
            #expect(try await installed.alone("token", "--scope", "profile", "--scope=openid").status == 0)
            #expect(try await installed.isSilent("token", "--scope", "openid", "--scope", "mail"))
            #expect(try await installed.isSilent("token", "--scope", "openid profile"))
            #expect(try await installed.call("token", "--scope", "mail").status == 3)
        }
    }

    /// A session as it is stored, and whether its token can be handed out without a thought of refreshing it.
    struct Age: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let issued: Double
        let expires: Double?
        var isRefreshable = true
        let isFresh: Bool
    }

    @Test(
        "A token is handed out while the time to refresh it has not come",
        arguments: [
            Age(testDescription: "new", issued: -10, expires: 3590, isFresh: true),
            Age(testDescription: "in its last quarter of an hour", issued: -2800, expires: 800, isFresh: false),
            Age(testDescription: "expired", issued: -3700, expires: -100, isFresh: false),
            Age(testDescription: "without an end", issued: -10_000, expires: nil, isFresh: true),
            Age(testDescription: "issued in the future", issued: 300, expires: 3900, isFresh: false),
            Age(
                testDescription: "late, and not to be refreshed", issued: -3000, expires: 600, isRefreshable: false,
                isFresh: true),
            Age(
                testDescription: "over, and not to be refreshed", issued: -3700, expires: -100, isRefreshable: false,
                isFresh: false),
        ])
    func freshness(age: Age) async throws {
        try await withReadyLauncher { installed async throws in
            let now = Date().timeIntervalSinceReferenceDate
            try await installed.changeSession { credential in
                credential["issuedAt"] = .number(now + age.issued)
                credential["expiresAt"] = age.expires.map { .number(now + $0) }
                if !age.isRefreshable { credential["refreshToken"] = nil }
            }
            #expect(try await (installed.alone("token").status == 0) == age.isFresh)
        }
    }

    @Test(
        "A session of another backend, client or type of provider is not this configuration's",
        arguments: ["backend", "clientID", "providerType"])
    func origin(member: String) async throws {
        try await withReadyLauncher { installed async throws in
            try await installed.changeSession { $0[member] = "https://example.com" }
            #expect(try await installed.isSilent("token"))
            let result = try await installed.call("token")
            #expect(result.status == 3 && result.output.isEmpty && result.errors.contains("It belongs to "))
            let list = try await installed.call("accounts")
            #expect(list.output.contains("kept: It belongs to "))
        }
    }

    @Test("A store that others can open is the whole tool's to refuse")
    func openStore() async throws {
        try await withReadyLauncher { installed async throws in
            let folder = try installed.file("record").deletingLastPathComponent().deletingLastPathComponent()
            #expect(chmod(folder.path, 0o755) == 0)
            #expect(try await installed.isSilent("token"))
        }
    }

    @Test(
        "A store of a later version, or with another protection, is the whole tool's to refuse",
        arguments: [
            (#""version":1"#, #""version":2"#), (#""key-file""#, #""none""#), ("swift-identity-store", "another-store"),
            ("{", ""),
        ])
    func description(was: String, becomes: String) async throws {
        try await withReadyLauncher { installed async throws in
            let file = installed.fixture.folder.appendingPathComponent("state/identity/store.json")
            let text = try String(contentsOf: file, encoding: .utf8)
            try #require(text.contains(was))
            try text.replacingOccurrences(of: was, with: becomes).write(to: file, atomically: false, encoding: .utf8)
            #expect(try await installed.isSilent("token"))
        }
    }

    @Test("A home folder means the same to both programs")
    func home() async throws {
        try await withReadyLauncher { installed async throws in
            let fixture = installed.fixture
            let home = fixture.folder.appendingPathComponent("home")
            try FileManager.default.createDirectory(
                at: home.appendingPathComponent(".config/identity"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: fixture.configurationFile, to: home.appendingPathComponent(".config/identity/identity.json"))
            // Foundation has a variable of its own for it.
            let variables = ["XDG_CONFIG_HOME": "", "HOME": home.path, "CFFIXED_USER_HOME": MissingPath.make()]
            #expect(try await installed.run(["token"], variables: variables).status == 0)
            #expect(try await installed.alone("token", variables: variables).status == 0)
            // What is not absolute is no home folder for either.
            for notHome in ["", "home", "."] {
                let script = "cd '\(fixture.folder.path)' && XDG_CONFIG_HOME= HOME='\(notHome)' \"$0\" whoami"
                let result = try await installed.shell(script)
                #expect(result.errors.contains("There is no configuration at"), "\(notHome): \(result.errors)")
                #expect(!result.errors.contains(home.path))
            }
        }
    }

    @Test("A record of a later version is the whole tool's to refuse")
    func laterVersion() async throws {
        try await withReadyLauncher { installed async throws in
            let file = try installed.file("record")
            let text = try String(contentsOf: file, encoding: .utf8)
            try text.replacingOccurrences(of: "swift-identity-record 1.0", with: "swift-identity-record 2.0")
                .write(to: file, atomically: false, encoding: .utf8)
            #expect(try await installed.isSilent("token"))
        }
    }

    @Test(
        "Files that are damaged, or open to others, are the whole tool's to judge",
        arguments: ["shortcut", "record", "choice", "key"], ["damaged", "open", "gone", "linked"])
    func files(part: String, state: String) async throws {
        try await withReadyLauncher { installed async throws in
            let file = try installed.file(part)
            switch state {
            case "damaged":
                var content = try Data(contentsOf: file)
                content[content.count / 2] ^= 1
                try content.write(to: file)
            case "open": #expect(chmod(file.path, 0o644) == 0)
            case "gone": try FileManager.default.removeItem(at: file)
            default:
                let other = file.appendingPathExtension("moved")
                try FileManager.default.moveItem(at: file, to: other)
                try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
            }
            #expect(try await installed.isSilent("token"))
        }
    }
}
