import Foundation
import IdentityLocalServers
import TestSupport
import Testing

@Suite struct PluginTests {
    private static let root = PackageFolder.url

    private func new(_ name: String, _ arguments: String...) async throws -> (URL, ToolProcess.Result) {
        try await new(name, arguments)
    }

    private func new(_ name: String, _ arguments: [String]) async throws -> (URL, ToolProcess.Result) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plugin-\(UUID().uuidString)")
        return (folder, try await Tool.run(["plugin", "new", name, "--folder", folder.path] + arguments))
    }

    @Test("The skeleton is the example that our own tests run")
    func isTheExample() async throws {
        let (folder, result) = try await new("Acme")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(result.status == 0)
        let examples = Self.root.appendingPathComponent("Sources/IdentityTool/Plugin/Example")
        for (path, importLine) in [
            ("Sources/Acme/AcmeProvider.swift", ""), ("Tests/AcmeTests/AcmeBackend.swift", ""),
            ("Tests/AcmeTests/AcmeConformanceTests.swift", "import Acme\n"),
        ] {
            let written = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            let name = URL(fileURLWithPath: path).lastPathComponent
            let example = try String(contentsOf: examples.appendingPathComponent(name), encoding: .utf8)
            #expect(written == importLine + example, "\(path)")
        }
        let manifest = try String(contentsOf: folder.appendingPathComponent("Package.swift"), encoding: .utf8)
        // Without a word about traits nothing of the tools is fetched.
        #expect(!manifest.contains("traits"))
    }

    @Test(
        "A name that Swift or this package has taken is refused, and nothing is written",
        arguments: [
            "Foundation", "IdentityKit", "Swift", "Self", "Testing", "Array", "NIOCore", "Crypto", "Observation", "Int",
            "Result", "Identity", "Session",
        ])
    func takenNames(name: String) async throws {
        let (folder, result) = try await new(name)
        #expect(result.status == 64 && result.errors.contains("\"\(name)\" is taken"))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("No module of this package can be the name")
    func ownNames() async throws {
        let manifest = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let targets = manifest.matches(of: /\.(?:library|target|systemLibrary)\(\s*name: "([A-Z]\w*)"/)
        let names = Set(targets.map { String($0.output.1) })
        #expect(names.count > 15)
        for name in names.sorted() {
            let (folder, result) = try await new(name)
            #expect(result.status == 64 && result.errors.contains("\"\(name)\" is taken"))
            #expect(!FileManager.default.fileExists(atPath: folder.path), "\(name)")
        }
    }

    @Test(
        "A name that is no identifier, or no type's, is refused",
        arguments: ["class", "acme", "1Acme", "Acme-Two", "Acme Two", "Ä", ""])
    func noNames(name: String) async throws {
        let (folder, result) = try await new(name)
        #expect(result.status == 64 && !FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("The skeleton for OAuth is the example that our own tests run, and the server in it has twenty lines at most")
    func isTheOAuthExample() async throws {
        let (folder, result) = try await new("Acme", "--oauth")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(result.status == 0)
        let examples = Self.root.appendingPathComponent("Sources/IdentityTool/Plugin/OAuthExample")
        for (path, name, importLine) in [
            ("Sources/Acme/AcmePlugin.swift", "AcmeOAuthPlugin.swift", ""),
            ("Tests/AcmeTests/AcmeConformanceTests.swift", "AcmeOAuthConformanceTests.swift", "import Acme\n"),
        ] {
            let written = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            let example = try String(contentsOf: examples.appendingPathComponent(name), encoding: .utf8)
            #expect(written == importLine + example, "\(path)")
        }
        let plugin = try String(
            contentsOf: folder.appendingPathComponent("Sources/Acme/AcmePlugin.swift"), encoding: .utf8)
        let lines = plugin.components(separatedBy: "\n")
        let start = try #require(lines.firstIndex { $0.contains("-> OAuthServer {") })
        let end = try #require(lines[start...].firstIndex { $0.contains("return acme") })
        #expect(end - start <= 20)
        let manifest = try String(contentsOf: folder.appendingPathComponent("Package.swift"), encoding: .utf8)
        #expect(manifest.contains(#".product(name: "IdentityOAuth""#) && manifest.contains(#"traits: ["Tools"])"#))
    }

    @Test("The test of the example plug-in is the skeleton's")
    func isTheTestOfTheExample() async throws {
        let (folder, result) = try await new("Tidewater", "--oauth")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(result.status == 0)
        let path = "Tests/TidewaterTests/TidewaterConformanceTests.swift"
        let example = Self.root.appendingPathComponent("Documentation/Examples/OAuthPlugin")
        #expect(
            try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
                == String(contentsOf: example.appendingPathComponent(path), encoding: .utf8))
    }

    @Test("A tool of the plug-in's own is three lines in a package of its own", arguments: [[], ["--oauth"]])
    func tool(options: [String]) async throws {
        let (folder, result) = try await new("CloudID", options)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(result.status == 0 && result.output.contains("cloudid-identity/Sources/main.swift\n"))
        let program = try String(
            contentsOf: folder.appendingPathComponent("cloudid-identity/Sources/main.swift"), encoding: .utf8)
        #expect(
            program.split(separator: "\n") == [
                "import CloudID", "import IdentityTool", "await IdentityTool.main(adding: [CloudIDPlugin.self])",
            ])
        let manifest = try String(
            contentsOf: folder.appendingPathComponent("cloudid-identity/Package.swift"), encoding: .utf8)
        #expect(
            manifest.contains(#".package(name: "cloudid", path: "..")"#) && manifest.contains(#"traits: ["Tools"])"#))
    }

    @Test("Every name in the skeleton is the plug-in's own")
    func renamed() async throws {
        let (folder, result) = try await new("CloudID")
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(result.status == 0)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var count = 0
        while let file = files.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            count += 1
            #expect(!file.lastPathComponent.contains("Acme"))
            #expect(try !String(contentsOf: file, encoding: .utf8).localizedCaseInsensitiveContains("acme"))
        }
        #expect(count == 6)
    }

    @Test("A name that cannot be a module's is refused", arguments: ["acme", "Ac-me", "../Acme", "1Acme"])
    func badName(name: String) async throws {
        let (folder, result) = try await new(name)
        #expect(result.status == 64)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("Nothing that is there is overwritten")
    func existing() async throws {
        let (folder, _) = try await new("Acme")
        defer { try? FileManager.default.removeItem(at: folder) }
        let second = try await Tool.run("plugin", "new", "Acme", "--folder", folder.path)
        #expect(second.status == 1)
        #expect(second.errors.contains("exists already"))
    }

    @Test("A disk that fills up in the middle leaves nothing behind, and one line")
    func diskFull() async throws {
        let fixture = try ServeFixture()
        // Bytes of files are limited, those of the output are not. There is space for the manifest.
        let result = try await ToolProcess.shell(
            #"trap '' XFSZ; ulimit -f 2; "$0" plugin new Acme --folder '\#(fixture.path("acme"))'"#)
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(
            result.errors.hasPrefix("identity plugin new: ") && result.errors.split(separator: "\n").count == 1,
            "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).isEmpty)
    }

    /// Takes minutes, because the framework is built anew for the package.
    @Test(
        "The skeleton builds and passes",
        .enabled(if: ProcessInfo.processInfo.environment["SWIFT_IDENTITY_FULL_TESTS"] == "1"))
    func builds() async throws {
        let (folder, _) = try await new("CloudID", "--package", Self.root.path)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (status, text) = try await swift(["test", "--package-path", folder.path], in: folder)
        #expect(status == 0, "\(text.suffix(2000))")
        #expect(text.contains("1 test in 1 suite") || text.contains("CloudID keeps the contract"))
    }
    /// Takes minutes, because the framework is built anew for the package.
    @Test(
        "The tool of the plug-in's own signs in with it",
        .enabled(if: ProcessInfo.processInfo.environment["SWIFT_IDENTITY_FULL_TESTS"] == "1"))
    func toolSignsIn() async throws {
        let (folder, _) = try await new("CloudID", "--package", Self.root.path)
        defer { try? FileManager.default.removeItem(at: folder) }
        let package = folder.appendingPathComponent("cloudid-identity")
        let (status, text) = try await swift(["build", "--package-path", package.path], in: folder)
        #expect(status == 0, "\(text.suffix(2000))")
        let server = try await LocalHTTPServer.start { _ in
            .json([
                "user": "ada", "scope": "read", "accessToken": "a-token", "refreshToken": "another", "expiresIn": 3600,
            ])
        }
        let environment = ["HOME": folder.path, "IDENTITY_CONFIG": folder.appendingPathComponent("identity.json").path]
        func run(_ arguments: String..., input: String? = nil) async throws -> ToolProcess.Result {
            await
                (try ToolProcess.Run(
                    arguments, environment: environment,
                    of: package.appendingPathComponent(".build/debug/cloudid-identity"),
                    input: input)).finish()
        }
        let made = try await run("init", "cloudid", "--no-login", "--set", "baseURL=\(server.url.absoluteString)")
        #expect(made.status == 0, "\(made)")
        let login = try await run("login", "--username", "ada", "--password-stdin", input: "secret\n")
        #expect(login.output == "cloudid/ada\n", "\(login)")
        #expect(try await run("token").output == "a-token\n")
        #expect(try await run("providers", "cloudid").output.contains("baseURL"))
        await server.stop()
    }

    @Test("A folder that cannot be made is named, with what the system says")
    func nowhere() async throws {
        let result = try await Tool.run("plugin", "new", "Acme", "--folder", "/dev/null/acme")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("identity plugin new: /dev/null/acme cannot be made: "), "\(result.errors)")
    }

    /// Runs the package manager to its end.
    private func swift(_ arguments: [String], in folder: URL) async throws -> (status: Int32?, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift"] + arguments
        let log = folder.appendingPathComponent("log.txt")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let output = try FileHandle(forWritingTo: log)
        (process.standardOutput, process.standardError) = (output, output)
        let (statuses, end) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { end.yield($0.terminationStatus) }
        try process.run()
        let status = await statuses.first { _ in true }
        return (status, try String(contentsOf: log, encoding: .utf8))
    }
}
