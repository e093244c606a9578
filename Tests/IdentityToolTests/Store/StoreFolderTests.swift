import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Where the tool keeps sessions, as a configuration says it.
@Suite(.endsInTime) struct StoreFolderTests {
    private func configuration(folder: String, at server: LocalInsForgeServer? = nil) -> String {
        """
        {"store": {"type": "file", "folder": "\(folder)", "key": {"home": "keyFile"}},
         "providers": [{"name": "home", "type": "insforge",
           "settings": {"baseURL": "\(server?.url.absoluteString ?? "https://example.insforge.app")",
             "anonKey": "\(server?.anonKey ?? "anon_0123")", "allowsLoopbackHTTP": true}}]}
        """
    }

    @Test(
        "A relative folder starts at the configuration's own, wherever the tool is started",
        arguments: ["./state", "state", "state/", "x/../state"])
    func relative(folder: String) async throws {
        try await withTool { fixture in
            try Data(configuration(folder: folder).utf8).write(to: fixture.configurationFile)
            let place = fixture.configurationFile.deletingLastPathComponent()
            for start in ["/", fixture.folder.path, place.path] {
                let result = try await Tool.run(
                    ["whoami"], environment: fixture.environment, in: URL(fileURLWithPath: start))
                expectOneLine(result, status: 3, of: "whoami in \(start)")
                #expect(FileManager.default.fileExists(atPath: place.appendingPathComponent("state/store.json").path))
            }
            // The same file, named from where it is.
            let result = try await Tool.run(
                ["doctor", "--offline", "--config", "identity.json"], environment: fixture.environment, in: place)
            #expect(result.output.contains(place.appendingPathComponent("state").path), "\(result.output)")
        }
    }

    @Test("Every spelling of a folder is the same store, for every command and from every working folder")
    func spellings() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let place = fixture.configurationFile.deletingLastPathComponent()
            let state = fixture.folder.appendingPathComponent("state/identity").path
            for name in ["link", "ein Verzeichnis für ☃"] {
                try FileManager.default.createSymbolicLink(
                    atPath: place.appendingPathComponent(name).path, withDestinationPath: state)
            }
            let token = try await fixture.run("token").output
            for folder in [
                "\(state)/", "/\(state)/./", "../../state/identity", "./../../state//identity/", "~/state/identity",
                "~/state/x/../identity/", "link", "./link/", "\(place.path)/link", "~/config/identity/link",
                "ein Verzeichnis für ☃",
            ] {
                try Data(configuration(folder: folder, at: fixture.insForge).utf8).write(to: fixture.configurationFile)
                for start in ["/", place.path, state] {
                    var output = ""
                    for command in ["config check", "whoami", "token", "accounts", "explain", "doctor --offline"] {
                        let result = try await Tool.run(
                            command.split(separator: " ").map(String.init),
                            environment: fixture.environment.merging(["HOME": fixture.folder.path]) { $1 },
                            in: URL(fileURLWithPath: start))
                        #expect(result.status == 0, "\(folder) from \(start): \(result.errors)\(result.output)")
                        output += result.output
                    }
                    #expect(output.contains(token) && !output.contains("✘"), "\(folder): \(output)")
                }
            }
            // No other store was made on the way.
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: state + "/..").sorted() == [
                    "identity", "identity.key",
                ])
        }
    }

    @Test("config check refuses a folder exactly where a start does, and says the same")
    func asStrictAsAStart() async throws {
        try await withTool { fixture in
            let place = fixture.configurationFile.deletingLastPathComponent()
            let used = place.appendingPathComponent("used")
            try FileManager.default.createDirectory(at: used, withIntermediateDirectories: true)
            try Data().write(to: used.appendingPathComponent("notes"))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: used.path)
            try FileManager.default.createSymbolicLink(
                atPath: place.appendingPathComponent("nowhere").path, withDestinationPath: MissingPath.make())
            for (folder, reason) in [
                ("used", "other users can open it"), ("nowhere", "a symbolic link whose target cannot be found"),
                ("~", "other users can open it"), ("identity.json", "it is not a folder"),
            ] {
                try Data(configuration(folder: folder, at: fixture.insForge).utf8).write(to: fixture.configurationFile)
                let home = ["HOME": used.path]
                let environment = fixture.environment.merging(home) { $1 }
                let check = try await Tool.run("config", "check", environment: environment)
                #expect(check.status == 78 && check.output.contains(reason), "\(folder): \(check.output)")
                let start = try await Tool.run("whoami", environment: environment)
                #expect(start.status != 0 && start.errors.contains(reason), "\(folder): \(start.errors)")
            }
        }
    }

    @Test("An empty folder that mkdir has made becomes the store")
    func emptyFolder() async throws {
        try await withTool { fixture in
            let state = fixture.folder.appendingPathComponent("state/identity")
            try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: state.path)
            #expect(try await fixture.signIn().status == 0)
            #expect(try await fixture.run("token").status == 0)
            let mode = try FileManager.default.attributesOfItem(atPath: state.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
    }

    @Test("The launcher finds the token of a store that is named by a link")
    func launcher() async throws {
        try await withInstalledTool { installed in
            let fixture = installed.fixture
            let link = fixture.folder.appendingPathComponent("link")
            try FileManager.default.createSymbolicLink(
                atPath: link.path, withDestinationPath: fixture.folder.appendingPathComponent("state/identity").path)
            try Data(configuration(folder: link.path, at: fixture.insForge).utf8).write(to: fixture.configurationFile)
            let token = try await installed.run("token")
            #expect(token.status == 0, "\(token.errors)")
            #expect(try await installed.alone("token").output == token.output)
        }
    }

    @Test("Another user's home folder is refused with advice", arguments: ["~ada", "~root/state"])
    func otherHome(folder: String) async throws {
        try await withTool { fixture in
            try Data(configuration(folder: folder).utf8).write(to: fixture.configurationFile)
            let result = try await fixture.run("whoami")
            expectOneLine(result, status: 78, of: "whoami")
            #expect(result.errors.contains("store.folder is not acceptable. \"\(folder)\" begins with a user's home"))
        }
    }

    @Test("Every path of the command line is read like that of a store: another user's home folder is refused")
    func otherHomeOfArguments() async throws {
        try await withTool { fixture in
            for (arguments, status) in [
                (["serve", "--data", "~ada/data"], Int32(64)), (["serve", "--configuration", "~ada/c.json"], 64),
                (["serve", "--users", "~ada/users.json"], 78),
                (["plugin", "new", "Acme", "--folder", "~ada/acme"], 64),
                (["plugin", "new", "Acme", "--package", "~ada/swift-identity"], 64),
                (["whoami", "--config", "~ada/identity.json"], 78),
            ] {
                let result = try await Tool.run(arguments, environment: fixture.environment)
                #expect(result.status == status, "\(arguments): \(result.errors)")
                #expect(result.errors.contains("begins with a user's home folder by name"), "\(result.errors)")
            }
        }
    }

    @Test("~ is the folder of $HOME on the command line too, and .. is resolved")
    func home() async throws {
        try await withTool { fixture in
            let home = fixture.folder.appendingPathComponent("a home")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let result = try await Tool.run(
                ["plugin", "new", "Acme", "--folder", "~/x/../acme/"],
                environment: fixture.environment.merging(["HOME": home.path]) { $1 }
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(FileManager.default.fileExists(atPath: home.appendingPathComponent("acme/Package.swift").path))
            #expect(result.errors.contains("cd '\(home.path)/acme' && swift test"), "\(result.errors)")
        }
    }

    @Test("A sign-in that is refused leaves nothing in the store")
    func refusedSignIn() async throws {
        try await withTool { fixture in
            let state = fixture.folder.appendingPathComponent("state/identity").path
            func files() throws -> [String] {
                let folders = ["accounts/", "refreshes/", "pending-flows/", "drafts/", "current-accounts/"]
                return try FileManager.default.subpathsOfDirectory(atPath: state).filter { path in
                    folders.contains(where: path.hasPrefix)
                }
            }
            _ = try await fixture.run("whoami")
            let before = try files()
            for (provider, name) in [("home", fixture.insForge.user.email), ("work", fixture.thunderID.user.username)] {
                let login = try await fixture.run(
                    "login", "--provider", provider, "--username", name, "--password-stdin", input: "wrong\n")
                #expect(login.status != 0)
                #expect(try files() == before)
            }
            #expect(try await fixture.signIn().status == 0)
            #expect(try files().count > before.count)
        }
    }

    @Test("A token without a sign-in leaves no record, no key and no shortcut")
    func tokenOfNobody() async throws {
        try await withTool { fixture in
            let state = fixture.folder.appendingPathComponent("state/identity")
            let parts = ["store.json", "store.copy", "notice", "drafts", "locks", "quarantine"]
            for _ in 1...2 {
                expectOneLine(try await fixture.run("token"), status: 3, of: "token")
                let files = try FileManager.default.subpathsOfDirectory(atPath: state.path)
                #expect(files.allSatisfy(parts.contains), "\(files)")
            }
            #expect(!FileManager.default.fileExists(atPath: state.path + ".key"))
            #expect(!FileManager.default.fileExists(atPath: fixture.folder.appendingPathComponent("cache").path))
            #expect(try await fixture.signIn().status == 0)
            #expect(try await fixture.run("token").status == 0)
            #expect(FileManager.default.fileExists(atPath: state.appendingPathComponent("device").path))
        }
    }

    @Test("Doctor warns of a folder above the store that others can write")
    func parentFolders() async throws {
        try await withTool { fixture in
            let state = fixture.folder.appendingPathComponent("state").path
            #expect(try await fixture.signIn().status == 0)
            let before = try await fixture.run("doctor", "--offline").output
            #expect(before.contains("only you and the system can change them"), "\(before)")
            #expect(chmod(state, 0o777) == 0)
            let result = try await fixture.run("doctor", "--offline")
            #expect(result.output.contains("\(state) lets other users replace the store: everybody can write it"))
            #expect(result.output.contains("chmod go-w \(state)"))
            // A warning is no failure.
            #expect(result.status == 0)
        }
    }

    @Test("Doctor does not tell to change a folder of another user", .enabled(if: geteuid() == 0))
    func parentFolderOfAnother() async throws {
        try await withTool { fixture in
            let state = fixture.folder.appendingPathComponent("state").path
            #expect(try await fixture.signIn().status == 0)
            #expect(chown(state, 65_533, getegid()) == 0)
            let result = try await fixture.run("doctor", "--offline")
            #expect(result.output.contains("it belongs to another user"), "\(result)")
            #expect(result.output.contains("Keep the store in a folder") && !result.output.contains("chmod"))
        }
    }
}
