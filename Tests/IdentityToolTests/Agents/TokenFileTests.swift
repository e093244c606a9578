import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// `identity exec --token-file`.
@Suite(.endsInTime) struct TokenFileTests {
    /// A folder of the test's own for the token files.
    private static func place(of fixture: ToolFixture) throws -> (folder: URL, variables: [String: String]) {
        let folder = fixture.folder.appendingPathComponent("run")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return (folder, fixture.environment.merging(["XDG_RUNTIME_DIR": folder.path]) { $1 })
    }

    private static func exec(_ script: String, _ options: String...) -> [String] {
        ["exec", "--token-file", "--variable", "F"] + options + ["--", "sh", "-c", script]
    }

    /// The process that keeps the file has the standard error of the command, so that its end is that of both.
    private static func start(_ script: String, _ variables: [String: String]) throws -> ToolProcess.Run {
        try ToolProcess.Run(exec(script), environment: variables)
    }

    private static func content(of folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    @Test("The command finds the token in a file of its owner's, which is gone afterwards")
    func whole() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let token = try await fixture.run("token").output.trimmingCharacters(in: .newlines)
            let (folder, variables) = try Self.place(of: fixture)
            let script = #"ls -l "$F" | cut -c1-10; ls -ld "$(dirname "$F")" | cut -c1-10; cat "$F"; exit 7"#
            let apart = await (try Self.start(script, variables)).finish()
            let here = try await Tool.run(Self.exec(script), environment: variables)
            for result in [apart, here] {
                #expect(result.status == 7 && result.output == "-rw-------\ndrwx------\n\(token)", "\(result)")
                #expect(!result.errors.contains(token))
            }
            #expect(try Self.content(of: folder).isEmpty)
        }
    }

    @Test("A token that was refreshed is in the file while the command runs")
    func refreshed() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            let (folder, variables) = try Self.place(of: fixture)
            let script = #"""
                first=$(cat "$F"); echo ready
                while [ "$(cat "$F")" = "$first" ]; do sleep 0.1; done; cat "$F"
                """#
            let run = try Self.start(script, variables)
            #expect(await run.firstLine.value.hasPrefix("ready"))
            let token = try await fixture.run("token", "--fresh").output.trimmingCharacters(in: .newlines)
            let result = await run.finish()
            #expect(result.status == 0 && result.output == "ready\n\(token)", "\(result)")
            #expect(try Self.content(of: folder).isEmpty)
        }
    }

    @Test("The file is gone after a command that was killed")
    func killed() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let (folder, variables) = try Self.place(of: fixture)
            let run = try Self.start(#"cat "$F" >/dev/null && echo ready; exec sleep 1000"#, variables)
            #expect(await run.firstLine.value == "ready\n")
            #expect(try Self.content(of: folder).count == 1)
            run.send(SIGKILL)
            #expect(await run.finish().status == SIGKILL)
            #expect(try Self.content(of: folder).isEmpty)
        }
    }

    @Test("A sign-out takes the token out of the file")
    func signedOut() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let (folder, variables) = try Self.place(of: fixture)
            let run = try Self.start(#"echo ready; while [ -e "$F" ]; do sleep 0.1; done; echo gone"#, variables)
            #expect(await run.firstLine.value.hasPrefix("ready"))
            #expect(try await fixture.run("logout").status == 0)
            let result = await run.finish()
            #expect(result.output == "ready\ngone\n", "\(result)")
            #expect(try Self.content(of: folder).isEmpty)
        }
    }

    @Test("The ID token is in the file for the audience that is named")
    func idToken() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInOnDevice(allows: true).status == 0)
            let (folder, variables) = try Self.place(of: fixture)
            let client = fixture.openIDConnect.client.id
            let right = try await Tool.run(Self.exec(#"cat "$F""#, "--id-token", client), environment: variables)
            #expect(right.status == 0 && right.output.split(separator: ".").count == 3, "\(right.errors)")
            #expect(try await fixture.run("token").output != right.output + "\n")
            let wrong = try await Tool.run(Self.exec(#"cat "$F""#, "--id-token", "other"), environment: variables)
            expectOneLine(wrong, status: 1, of: "exec --id-token other")
            #expect(try Self.content(of: folder).isEmpty)
        }
    }

    @Test("A server that brings no new ID token is asked before the old one expires, and once afterwards")
    func idTokenThatStays() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInOnDevice(allows: true).status == 0)
            let (server, clock) = (fixture.openIDConnect, ManualClock())
            server.vary(.noRefreshedIDToken)
            let token = KubectlTests.idToken(for: "cluster", until: clock.now + 40)
            let account = AccountID(account: server.user.id, realm: "any")
            try await fixture.changeSession(of: account, at: try #require(URL(string: server.issuer))) {
                $0.idToken = token
            }
            let (folder, variables) = try Self.place(of: fixture)
            let isNeeded = folder.appendingPathComponent("needed")
            try Data().write(to: isNeeded)
            let end = clock.now + 100
            // The pauses of the task that keeps the file take no time, up to a minute after the end of the ID token.
            let time = TimeSource(now: { clock.now }) { pause in
                guard pause == .milliseconds(200) else { return try await Task.sleep(for: pause) }
                guard clock.now < end else {
                    try FileManager.default.removeItem(at: isNeeded)
                    return try await Task.sleep(for: .seconds(3600))
                }
                clock.advance(by: pause)
            }
            let script = "while [ -e '\(isNeeded.path)' ]; do sleep 0.1; done"
            let result = try await Tool.run(
                Self.exec(script, "--id-token", "cluster"), environment: variables, clock: time)
            #expect(result.status == 0 && result.errors.contains("The ID token has expired"), "\(result)")
            #expect(server.counters.refreshes == 2)
        }
    }

    @Test("A command that cannot be started, and a mistake of usage, leave no file")
    func mistakes() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let (folder, variables) = try Self.place(of: fixture)
            let words = ["exec", "--token-file", "--variable", "F", "--", "no-such-command"]
            #expect(try await Tool.run(words, environment: variables).status == 127)
            #expect(await (try ToolProcess.Run(words, environment: variables)).finish().status == 127)
            for line in ["--token-file -- true", "--id-token a -- true", "--token-file --variable a=b -- true"] {
                let words = ["exec"] + line.split(separator: " ").map(String.init)
                #expect(try await Tool.run(words, environment: variables).status == 64, "\(line)")
            }
            let missing = variables.merging(["XDG_RUNTIME_DIR": folder.path + "/missing"]) { $1 }
            expectOneLine(try await Tool.run(Self.exec("true"), environment: missing), status: 1, of: "exec")
            #expect(try Self.content(of: folder).isEmpty)
        }
    }
}
