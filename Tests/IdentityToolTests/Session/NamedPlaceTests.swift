import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityTool

/// Commands that are printed name the configuration that was named, so that they can be run as they are.
@Suite(.endsInTime) struct NamedPlaceTests {
    private static let other = #"{"providers": [{"name": "b", "type": "anonymous", "settings": {}}]}"#

    /// A configuration with a profile that nothing chooses by itself.
    private func file(_ settings: String, type: String, in folder: TemporaryFolder) throws -> String {
        let file = folder.file("other.json")
        let provider = #"{"name": "a", "type": "\#(type)", "settings": \#(settings)}"#
        let store = #"{"type": "file", "folder": "\#(folder.file("state").path)", "key": {"home": "keyFile"}}"#
        try Data(#"{"profiles": {"p": {"store": \#(store), "providers": [\#(provider)]}, "q": \#(Self.other)}}"#.utf8)
            .write(to: file)
        return file.path
    }

    /// Runs the command that a text ends with.
    private func runLast(of text: String) async throws -> ToolProcess.Result {
        let command = try #require(text.components(separatedBy: ": identity ").last)
        return try await Tool.run(command.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    @Test("The doctor's command checks what the doctor has looked at")
    func doctor() async throws {
        let folder = try TemporaryFolder()
        let path = try file("{}", type: "insforge", in: folder)
        let doctor = try await Tool.run("doctor", "--offline", "--config", path, "--profile", "p")
        #expect(doctor.status == 1)
        #expect(doctor.output.hasSuffix("    Then run: identity config check \(path) --profile p\n"), "\(doctor)")
        let check = try await runLast(of: doctor.output)
        #expect(check.status == 78 && check.output.contains("settings.baseURL"), "\(check)")
        let json = try await Tool.run("doctor", "--offline", "--json", "--config", path, "--profile", "p")
        #expect(json.output.contains("identity config check") && json.output.contains("--profile p"))
    }

    @Test(
        "An error's command acts on the configuration of the command that failed",
        arguments: ["token", "accounts", "whoami"])
    func error(command: String) async throws {
        let folder = try TemporaryFolder()
        let path = try file(
            #"{"baseURL": "http://127.0.0.1:1", "allowsLoopbackHTTP": true}"#, type: "insforge", in: folder)
        let nobody = try await Tool.run(command, "--config", path, "--profile", "p")
        #expect(nobody.errors.hasSuffix(": identity login --config \(path) --profile p\n"), "\(nobody)")
        let missing = try await Tool.run(command, "--config", path + ".missing")
        #expect(missing.errors.hasSuffix(": identity init --config \(path).missing\n"), "\(missing)")
        let check = try await Tool.run("config", "check", path + ".missing")
        #expect(check.errors.hasSuffix(": identity init --config \(path).missing\n"), "\(check)")
    }

    @Test("What a first configuration is followed by acts on it", arguments: [["config", "init", "--type"], ["init"]])
    func initialized(command: [String]) async throws {
        let folder = try TemporaryFolder()
        let (path, state) = (folder.file("new.json").path, ["XDG_STATE_HOME": folder.file("state").path])
        let skipped = command.count == 1 ? ["--offline"] : []
        let made = try await Tool.run(
            command + ["static-token", "--set", "token=its-token", "--config", path] + skipped, environment: state)
        #expect(made.status == 0 && made.output == path + "\n", "\(made)")
        let login = try await runLast(of: made.errors)
        #expect(login.status == 0 && login.output.hasPrefix("static-token/"), "\(login)")
    }

    @Test("Names are quoted for a shell, and a text without a command stays as it is")
    func quoted() {
        let place = NamedPlace()
        #expect(place.completing("Run: identity login") == "Run: identity login")
        place.remember(file: "my files/identity.json", profile: "b's")
        #expect(
            place.completing("Run: identity login --provider a")
                == #"Run: identity login --provider a --config 'my files/identity.json' --profile 'b'\''s'"#)
        for text in ["Run: chmod 600 x", "It says: identity unknown"] { #expect(place.completing(text) == text) }
    }
}
