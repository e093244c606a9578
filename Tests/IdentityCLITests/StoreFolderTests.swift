import Foundation
import IdentityKit
import Testing

/// Where the tool keeps sessions, as a configuration says it.
@Suite(.timeLimit(.minutes(5))) struct StoreFolderTests {
    private func configuration(folder: String) -> String {
        """
        {"store": {"type": "file", "folder": "\(folder)", "key": {"home": "keyFile"}},
         "providers": [{"name": "home", "type": "insforge",
           "settings": {"baseURL": "https://example.insforge.app", "anonKey": "anon_0123"}}]}
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
                let result = try await fixture.shell(#"cd '\#(start)' && "$0" whoami"#)
                expectOneLine(result, status: 3, of: "whoami in \(start)")
                #expect(FileManager.default.fileExists(atPath: place.appendingPathComponent("state/store.json").path))
            }
            // The same file, named from where it is.
            let result = try await fixture.shell(
                #"cd '\#(place.path)' && "$0" doctor --offline --config identity.json"#)
            #expect(result.output.contains(place.appendingPathComponent("state").path), "\(result.output)")
        }
    }

    @Test("Somebody's home by name is refused with what to write", arguments: ["~ada", "~root/state"])
    func otherHome(folder: String) async throws {
        try await withTool { fixture in
            try Data(configuration(folder: folder).utf8).write(to: fixture.configurationFile)
            let result = try await fixture.run("whoami")
            expectOneLine(result, status: 78, of: "whoami")
            #expect(result.errors.contains("store.folder is not acceptable. \"\(folder)\" begins with somebody's home"))
        }
    }

    @Test("Doctor warns of a folder above the store that others can write")
    func parentFolders() async throws {
        try await withTool { fixture in
            let state = fixture.folder.appendingPathComponent("state").path
            #expect(try await fixture.signIn().status == 0)
            let before = try await fixture.run("doctor", "--offline").output
            #expect(before.contains("only you and the system may change them"), "\(before)")
            #expect(chmod(state, 0o777) == 0)
            let result = try await fixture.run("doctor", "--offline")
            #expect(result.output.contains("\(state) lets others move the store away: everybody can write it"))
            #expect(result.output.contains("chmod go-w '\(state)'"))
            // A warning is no failure.
            #expect(result.status == 0)
        }
    }
}
