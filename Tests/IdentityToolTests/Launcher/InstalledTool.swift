import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityStoreFormat
import TestSupport
import Testing

/// The two programs as they are installed, beside a fixture whose InsForge user is signed in.
struct InstalledTool {
    let fixture: ToolFixture
    private let root: URL

    fileprivate init(_ fixture: ToolFixture) throws {
        self.fixture = fixture
        root = fixture.folder.appendingPathComponent("installed")
        let built = try ToolProcess.executable.deletingLastPathComponent()
        for (program, place) in [("identity-launcher", launcher), ("identity-launcher", lonely), ("identity", tool)] {
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            let program = built.appendingPathComponent(program)
            do {
                // A copy would be busy while another test starts a process, which has it open for a moment.
                try FileManager.default.linkItem(at: program, to: place)
            } catch {
                // On another file system there is no choice.
                try FileManager.default.copyItem(at: program, to: place)
            }
        }
    }

    private var launcher: URL { root.appendingPathComponent("bin/identity") }
    private var lonely: URL { root.appendingPathComponent("alone/bin/identity") }
    private var tool: URL { root.appendingPathComponent("libexec/identity") }

    /// Runs what is installed.
    func run(
        _ arguments: [String], variables: [String: String] = [:], input: String? = nil
    ) async throws -> ToolProcess.Result {
        try await run(launcher, arguments, variables, input: input)
    }

    /// Runs what is installed.
    func run(_ arguments: String...) async throws -> ToolProcess.Result { try await run(arguments) }

    /// Runs the launcher where there is nothing it could hand over to.
    func alone(
        _ arguments: String..., variables: [String: String] = [:]
    ) async throws -> ToolProcess.Result {
        try await alone(arguments, variables: variables)
    }

    /// Runs the launcher where there is nothing it could hand over to.
    func alone(_ arguments: [String], variables: [String: String] = [:]) async throws -> ToolProcess.Result {
        try await run(lonely, arguments, variables)
    }

    /// Puts a Bash script in the place of the whole tool, in which `$tool` is the tool and `$folder` the fixture's folder.
    func replaceTool(by script: String) throws {
        let moved = root.appendingPathComponent("libexec/whole")
        try FileManager.default.moveItem(at: tool, to: moved)
        let heading = "#!/bin/bash\ntool='\(moved.path)'\nfolder='\(fixture.folder.path)'\n"
        try Script.write(heading + script + "\n", to: tool)
    }

    /// Calls the library of the whole tool, for what the launcher hands over. That it hands over is tested with processes.
    func call(_ arguments: [String], variables: [String: String] = [:]) async throws -> ToolProcess.Result {
        try await Tool.run(arguments, environment: fixture.environment.merging(variables) { $1 })
    }

    /// Calls the library of the whole tool.
    func call(_ arguments: String...) async throws -> ToolProcess.Result { try await call(arguments) }

    /// Whether the launcher has no answer of its own.
    func isSilent(_ arguments: String..., variables: [String: String] = [:]) async throws -> Bool {
        try await isSilent(arguments, variables: variables)
    }

    /// Whether the launcher has no answer of its own.
    func isSilent(_ arguments: [String], variables: [String: String] = [:]) async throws -> Bool {
        let result = try await run(lonely, arguments, variables)
        return result.status == 1 && result.output.isEmpty && result.errors.contains("Install both programs again.")
    }

    /// Runs a Bash script in which `$0` is what is installed.
    func shell(_ script: String, wholeTool: Bool = false) async throws -> ToolProcess.Result {
        try await run(URL(fileURLWithPath: "/bin/bash"), ["-c", script, (wholeTool ? tool : launcher).path], [:])
    }

    private func run(
        _ program: URL, _ arguments: [String], _ variables: [String: String], input: String? = nil
    ) async throws -> ToolProcess.Result {
        let environment = fixture.environment.merging(variables) { $1 }
        return await (try ToolProcess.Run(arguments, environment: environment, of: program, input: input)).finish()
    }

    /// Changes the stored session, as a refresh by another program does.
    func changeSession(_ change: (inout JSONValue) -> Void) async throws {
        let store = try fixture.configuration.store.open()
        let record = try #require(try await store.records(in: .accounts).records.first { $0.content != nil })
        var session = try JSONValue(parsing: try #require(record.content))
        var credential = try #require(session["credential"])
        change(&credential)
        session["credential"] = credential
        try await store.write(JSONEncoder().encode(session), for: record.key, replacing: record.generation)
    }

    /// The only shortcut.
    func shortcut() throws -> URL {
        try only(in: fixture.folder.appendingPathComponent("cache/identity/shortcuts"))
    }

    /// One of the files that a stored token is read from.
    func file(_ part: String) throws -> URL {
        let store = fixture.folder.appendingPathComponent("state/identity")
        return switch part {
        case "shortcut": try shortcut()
        case "record": try only(in: store.appendingPathComponent("accounts"))
        case "choice":
            store.appendingPathComponent(
                RecordPath.path(collection: "current-accounts", name: "profile default"))
        default: store.appendingPathExtension("key")
        }
    }

    private func only(in folder: URL) throws -> URL {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        try #require(files.count == 1)
        return files[0]
    }
}

/// Runs `test` with the installed tool and a signed-in user.
func withInstalledTool(_ test: (InstalledTool) async throws -> Void) async throws {
    try await withTool { fixture in
        #expect(try await fixture.signIn().status == 0)
        try await test(InstalledTool(fixture))
    }
}

/// Runs `test` with the installed tool, whose launcher has just been seen to answer by itself.
func withReadyLauncher(_ test: (InstalledTool) async throws -> Void) async throws {
    try await withInstalledTool { installed in
        for result in [try await installed.call("token"), try await installed.alone("token")] {
            #expect(result.status == 0, "\(result.errors)")
        }
        try await test(installed)
    }
}
