import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// What is installed: the launcher in `bin`, the whole tool in `libexec`. The launcher alone shows what it knows itself.
@Suite struct LauncherTests {
    @Test("A stored token needs the launcher alone, in three forms and however the configuration is named")
    func answersAlone() async throws {
        try await withInstalledTool { installed async throws in
            let token = try await installed.run("token")
            #expect(token.status == 0 && token.output.split(separator: ".").count == 3)
            let requests = installed.fixture.insForge.http.log.count
            #expect(try await installed.alone("token").output == token.output)
            #expect(try await installed.alone("token", "--format", "raw").output == token.output)
            #expect(
                try await installed.alone("token", "--format=header").output
                    == "Authorization: Bearer " + token.output)
            let document = try await installed.call("token", "--json").output
            #expect(document.contains("\"expiresAt\" : \"20"))
            for arguments in [["--json"], ["--format", "json"], ["--format", "raw", "--json"]] {
                #expect(try await installed.alone(["token"] + arguments).output == document)
            }
            let file = installed.fixture.configurationFile.path
            #expect(try await installed.alone("token", "--config", file).output == token.output)
            #expect(
                try await installed.alone(
                    "token", variables: ["IDENTITY_CONFIG": file, "XDG_CONFIG_HOME": MissingPath.make()]
                )
                .output == token.output)
            #expect(try await installed.alone("token", "--scope", "any").output == token.output)
            #expect(installed.fixture.insForge.http.log.count == requests)
        }
    }

    @Test(
        "Whatever else is asked is the whole tool's to answer",
        arguments: [
            ["token", "--format", "netrc"], ["token", "--format", "kubectl"], ["token", "--json", "surplus"],
            ["token", "--format", "raw", "--format", "header"], ["token", "--help"], ["token", "surplus"],
            ["token", "--config"], ["token", "--config", ""], ["token", "--scope="], ["token", "--scope=\u{301}"],
            ["token", "--profile", "other"], ["token", "--min-life", "0"], ["token", "--min-life", "1m", "--fresh"],
            ["whoami"], ["--help"], ["--version"], [],
        ])
    func handsOver(arguments: [String]) async throws {
        try await withInstalledTool { installed async throws in
            #expect(try await installed.call("token").status == 0)
            #expect(try await installed.isSilent(arguments))
            // The tool gets every word as it was given.
            try installed.replaceTool(by: #"printf '%s\0' "$@"; exit $((64 + $#))"#)
            let launched = try await installed.run(arguments)
            #expect(launched.output == (arguments.isEmpty ? "\0" : arguments.map { $0 + "\0" }.joined()))
            #expect(launched.errors.isEmpty && launched.status == 64 + Int32(arguments.count))
        }
    }

    @Test("The whole tool gets the streams, the environment and the exit status of the launcher")
    func passesEverythingOn() async throws {
        try await withInstalledTool { installed async throws in
            let fixture = installed.fixture
            let signIn = try await installed.run(
                ["login", "--provider", "work", "--username", fixture.thunderID.user.username, "--password-stdin"],
                input: fixture.thunderID.user.password.reveal() + "\n")
            #expect(signIn.status == 0)
            let child = try await installed.run("exec", "--", "sh", "-c", "exit 7")
            #expect(child.status == 7)
            for arguments in [["token", "--help"], ["token", "surplus"], []] {
                let direct = try await installed.call(arguments)
                let launched = try await installed.run(arguments)
                #expect(launched.output == direct.output && launched.errors == direct.errors)
                #expect(launched.status == direct.status)
            }
        }
    }

    @Test("Without the whole tool there is one line that says what is missing")
    func incomplete() async throws {
        try await withInstalledTool { installed async throws in
            let result = try await installed.alone("whoami")
            #expect(result.status == 1 && result.output.isEmpty)
            #expect(result.errors.hasPrefix("identity: ") && result.errors.contains("Install both programs again."))
            #expect(result.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("A refreshed token is the next answer, without another look at the configuration")
    func refresh() async throws {
        try await withInstalledTool { installed async throws in
            _ = try await installed.call("token")
            try await installed.changeSession { credential in credential["accessToken"] = "refreshed.by.another" }
            #expect(try await installed.alone("token").output == "refreshed.by.another\n")
        }
    }

    @Test("An account that is named by its identifier has a token as soon as the chosen one, and a name is the tool's")
    func named() async throws {
        try await withInstalledTool { installed async throws in
            let fixture = installed.fixture
            let home = try await fixture.run("whoami", "--json")
            let account = try #require(try JSONValue(parsing: Data(home.output.utf8))["account"]?.stringValue)
            let token = try await installed.call("token").output
            #expect(try await fixture.signInAtThunderID().status == 0)
            let other = try await installed.call("token").output
            let variables = ["SWIFT_IDENTITY_ACCOUNT": account, "SWIFT_IDENTITY_TOKEN": "exec-token"]
            // The first one starts the tool.
            #expect(try await installed.isSilent("token", variables: variables))
            #expect(try await installed.call(["token"], variables: variables).output == token)
            #expect(try await installed.alone("token", variables: variables).output == token)
            #expect(try await installed.alone("token", "--account", account).output == token)
            #expect(try await installed.alone("token").output == other && other != token)
            // The tool answers for a name, and leaves nothing that answers for it the next time.
            let address = fixture.insForge.user.email
            #expect(try await installed.call(["token", "--account", address]).output == token)
            #expect(try await installed.isSilent("token", "--account", address))
            #expect(try await installed.isSilent("token", variables: ["SWIFT_IDENTITY_ACCOUNT": address]))
            let profile = variables.merging(["SWIFT_IDENTITY_PROFILE": "default"]) { $1 }
            #expect(try await installed.isSilent("token", variables: profile))
            // An account that has signed out gets no other one's token.
            #expect(try await installed.call("logout", account).status == 0)
            #expect(try await installed.isSilent("token", variables: variables))
            #expect(try await installed.call(["token"], variables: variables).status == 3)
            #expect(try await installed.alone("token").output == other)
        }
    }

    @Test("A token is never written beside a closed standard output, and not to a reader who left")
    func closedOutput() async throws {
        try await withInstalledTool { installed async throws in
            _ = try await installed.call("token")
            let closed = try await installed.shell("$0 token >&-")
            let direct = try await installed.shell("$0 token >&-", wholeTool: true)
            #expect(closed.status == direct.status && closed.errors == direct.errors && closed.status != 0)
            let left = try await installed.shell("set -o pipefail; (sleep 0; $0 token; echo $? >&2) | true")
            #expect(!left.errors.contains("Broken"))
        }
    }

    @Test(
        "A token that is longer than an output that does not block is printed whole",
        .enabled(if: Program.exists("python3")))
    func slowReader() async throws {
        try await withReadyLauncher { installed async throws in
            let token = String(repeating: "a", count: 20_000)
            try await installed.changeSession { $0["accessToken"] = .string(token) }
            let script = """
                import fcntl, os, select, subprocess, sys
                reader, writer = os.pipe()
                if sys.platform == "linux": fcntl.fcntl(writer, 1031, 4096)  # F_SETPIPE_SZ
                fcntl.fcntl(writer, fcntl.F_SETFL, os.O_NONBLOCK)
                launcher = subprocess.Popen([sys.argv[1], "token"], stdout=writer)
                while select.select([], [writer], [], 0)[1] and launcher.poll() is None: pass
                os.close(writer)
                sys.stdout.buffer.write(open(reader, "rb").read())
                sys.exit(launcher.wait())
                """
            let result = try await installed.shell("exec python3 -c '\(script)' \"$0\"")
            #expect(result.status == 0 && result.errors.isEmpty)
            #expect(result.output == token + "\n")
        }
    }

    @Test("Cache files are private and hold no secrets")
    func cache() async throws {
        try await withInstalledTool { installed async throws in
            let token = try await installed.call("token").output.trimmingCharacters(in: .newlines)
            let shortcut = try installed.shortcut()
            let attributes = try FileManager.default.attributesOfItem(atPath: shortcut.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let content = try String(contentsOf: shortcut, encoding: .utf8)
            #expect(!content.contains(token))
            _ = try await installed.run("token", "--json")
            #expect(try String(contentsOf: shortcut, encoding: .utf8) == content)
        }
    }
}
