import Foundation
import IdentityKit
import IdentityTool
import TestSupport
import Testing

/// A provider type that the tool does not know.
private enum AcmePlugin: ProviderPlugin {
    static let type = "acme"

    struct Settings: Decodable, Sendable {
        let token: String
    }

    static func makeProvider(settings: Settings, context: ProviderContext) -> any IdentityProvider {
        StaticTokenProvider(token: Secret(settings.token), account: AccountID(account: "ada", realm: context.name))
    }
}

/// The tool as a library: what it is given is all that it uses.
@Suite(.endsInTime) struct ToolContextTests {
    @Test("Calls side by side have their own variables, folders, clocks and streams")
    func sideBySide() async throws {
        let folder = try TemporaryFolder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                let home = folder.file("\(number)")
                try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
                group.addTask {
                    let environment = ["HOME": home.path, "TOKEN": "token-\(number)", "XDG_CONFIG_HOME": ""]
                    func run(_ arguments: String...) async throws -> ToolProcess.Result {
                        try await Tool.run(arguments, environment: environment, in: home)
                    }
                    let made = try await run(
                        "config", "init", "--config", "mine.json", "--type", "static-token", "--set", "token=${TOKEN}")
                    #expect(made.output == home.path + "/mine.json\n", "\(made)")
                    #expect(try await run("token", "--config", "mine.json").output == "token-\(number)\n")
                    #expect(try await run("token", "--config", "~/mine.json").output == "token-\(number)\n")
                    let child = try await run(
                        "exec", "--config", "mine.json", "--", "sh", "-c", "pwd; echo $TOKEN; exit 9")
                    #expect(child.output == home.path + "\ntoken-\(number)\n" && child.status == 9, "\(child)")
                    #expect(try await run("token").errors.contains(home.path + "/.config/identity/identity.json"))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("The program of exec reads what the call was given, and is looked for in its PATH")
    func executed() async throws {
        let folder = try TemporaryFolder()
        let environment = ["HOME": folder.url.path, "IDENTITY_CONFIG": folder.file("identity.json").path]
        let made = try await Tool.run(
            "config", "init", "--type", "static-token", "--set", "token=a-token", environment: environment)
        #expect(made.status == 0, "\(made)")
        let words = ["exec", "--", "sh", "-c", #"read line; echo "$line $SWIFT_IDENTITY_TOKEN"; echo no >&2"#]
        let child = try await Tool.run(words, environment: environment, input: "typed\n")
        #expect(child.status == 0 && child.output == "typed a-token\n" && child.errors == "no\n", "\(child)")
        let elsewhere = environment.merging(["PATH": folder.url.path]) { $1 }
        let missing = try await Tool.run(["exec", "--", "sh"], environment: elsewhere)
        #expect(missing.status == 127 && missing.errors.contains("No such file or directory"), "\(missing)")
        try Data().write(to: folder.file("sh"))
        #expect(try await Tool.run(["exec", "--", "sh"], environment: elsewhere).status == 126)
    }

    @Test("A call whose task is cancelled ends as with Ctrl-C: the line of its question ends, without a word")
    func cancelled() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let (errors, end) = (Locked(Data()), DispatchSemaphore(value: 0))
        let context = ToolContext(
            environment: ["HOME": MissingPath.make()], folder: URL(fileURLWithPath: "/"),
            input: ToolContext.Input(isTerminal: true) {
                arrival.yield()
                // Nobody types anything.
                end.wait()
                return Data()
            },
            output: ToolContext.Output { _ in }, errors: ToolContext.Output { bytes in errors.withLock { $0 += bytes } }
        )
        let call = Task { await IdentityTool.run(["init"], in: context) }
        for await _ in arrivals { break }
        let asked = errors.withLock { $0 }
        call.cancel()
        #expect(await call.value == .interrupted)
        #expect(String(decoding: asked, as: UTF8.self).hasSuffix("Backend: "))
        #expect(errors.withLock { $0 } == asked + Data("\n".utf8))
        end.signal()
    }

    @Test("A provider type that is added is one like the others for every command")
    func added() async throws {
        let folder = try TemporaryFolder()
        let environment = ["HOME": folder.url.path, "IDENTITY_CONFIG": folder.file("identity.json").path]
        func run(_ arguments: String..., knowsAcme: Bool = true) async throws -> ToolProcess.Result {
            try await Tool.run(arguments, environment: environment, adding: knowsAcme ? [AcmePlugin.self] : [])
        }
        #expect(try await run("providers", "acme", knowsAcme: false).status == 64)
        #expect(try await run("providers", "acme").output.contains("token"))
        #expect(try await run("providers", "--types").output.contains("acme  provider, needs token\n"))
        #expect(try await run("config", "schema").output.contains("\"acme\""))
        #expect(try await run("init", "--type", "acme", knowsAcme: false).errors.contains("is not a type of provider"))
        let made = try await run("init", "acme", "--set", "token=its-token", "--no-login")
        #expect(made.status == 0, "\(made)")
        #expect(try await run("config", "check", knowsAcme: false).status == 78)
        #expect(try await run("config", "check").status == 0)
        #expect(try await run("doctor").status == 0)
        let login = try await run("login")
        #expect(login.output == "acme/ada\n", "\(login)")
        #expect(try await run("token").output == "its-token\n")
        #expect(try await run("token", knowsAcme: false).status == 78)
    }

    @Test("A type that is added replaces one of the tool, and a vendor's")
    func replaced() async throws {
        enum GitHubPlugin: ProviderPlugin {
            static let type = "github"
            static func makeProvider(settings: AcmePlugin.Settings, context: ProviderContext) -> any IdentityProvider {
                AcmePlugin.makeProvider(settings: settings, context: context)
            }
        }
        let result = try await Tool.run(["providers", "github"], adding: [GitHubPlugin.self])
        #expect(result.output.hasPrefix("github: a provider type\n"), "\(result)")
    }

    @Test("Nothing of the process is touched but where a process of one's own is meant")
    func processIsLeftAlone() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/IdentityTool").standardizedFileURL
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String])
        // What `main` does, what `exec` does for it, and what `ofThisProcess` reads.
        let meant: Set = [
            "IdentityTool.swift", "ToolContext.swift", "Token/ExecutedProgram.swift", "Terminal/StandardStreams.swift",
        ]
        let state =
            /\b(exit|setenv|unsetenv|putenv|chdir|signal|getenv|print|readLine)\(|ProcessInfo|CommandLine|currentDirectoryPath|FileHandle\.standard|STD(IN|OUT|ERR)_FILENO/
        for name in names where name.hasSuffix(".swift") && !name.contains("Example/") && !meant.contains(name) {
            let lines = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
                .components(separatedBy: "\n")
            for line in lines where !line.contains("func print(") && !line.contains(".print(") {
                #expect(line.firstMatch(of: state) == nil, "\(name): \(line)")
            }
        }
    }
}
