import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// What goes wrong around the tool: one clear line, the documented status, nothing half-written, nothing secret.
// A tool that waits for ever must not keep the other tests waiting.
@Suite(.endsInTime) struct BadInputTests {
    /// Every command that works with a configuration, as words of a shell.
    private static let commands = [
        "login", "token", "whoami", "accounts", "switch home/ada", "logout", "logout --all", "exec -- true",
        "request https://api.example.com/", "providers", "explain", "events",
    ]

    /// A mistake, the status it ends with, and what the line must say.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let configuration: String
        let status: Int32
        let says: String
    }

    @Test(
        "A configuration that is of no use is one line, whatever the command",
        arguments: [
            Mistake(
                testDescription: "cut off", configuration: #"{"providers": [{"name": "home", "#, status: 78,
                says: "identity.json"),
            Mistake(
                testDescription: "an unknown key",
                configuration: #"{"store": {"type": "memory"}, "providers": [], "provider": []}"#, status: 78,
                says: "provider"),
            Mistake(testDescription: "empty", configuration: "", status: 78, says: "identity.json"),
            Mistake(
                testDescription: "a store below a file",
                configuration: """
                    {"store": {"type": "file", "folder": "/dev/null/store", "key": {"home": "keyFile"}},
                     "providers": [{"name": "home", "type": "insforge",
                       "settings": {"baseURL": "https://example.insforge.app", "anonKey": "anon_0123"}}]}
                    """, status: 1, says: "/dev/null"),
        ])
    func uselessConfiguration(mistake: Mistake) async throws {
        try await withTool { fixture in
            try Data(mistake.configuration.utf8).write(to: fixture.configurationFile)
            for command in Self.commands {
                let result = try await fixture.run(line: command)
                expectOneLine(result, status: mistake.status, of: command)
                #expect(result.errors.contains(mistake.says), "\(command): \(result.errors)")
            }
        }
    }

    @Test(
        "Without a signed-in account, the error says how to sign in",
        arguments: ["token", "whoami", "exec -- true", "request http://127.0.0.1:1/", "switch home/nobody"])
    func nobody(command: String) async throws {
        try await withTool { fixture in
            let result = try await fixture.run(line: command)
            expectOneLine(result, status: 3, of: command)
            #expect(result.errors.contains("identity login"))
        }
    }

    @Test("Without a network a sign-in says so, and what is stored still works")
    func noNetwork() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            await fixture.insForge.stop()
            expectOneLine(try await fixture.signIn(), status: 5, of: "login")
            for command in ["token", "whoami", "accounts", "providers", "exec -- true"] {
                let result = try await fixture.run(line: command)
                #expect(result.status == 0, "\(command): \(result.errors)")
            }
            #expect(try await fixture.run("logout").status == 0)
        }
    }

    @Test("A token that has expired: 5 while the backend cannot be reached, 3 once it has ended the session")
    func expired() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.expireToken()
            fixture.thunderID.revokeFamilies(ofUser: fixture.thunderID.user.id)
            let ended = try await fixture.run("token")
            expectOneLine(ended, status: 3, of: "token")
            #expect(ended.errors.contains("identity login"))
        }
        try await withTool { fixture in
            #expect(try await fixture.signInAtThunderID().status == 0)
            try await fixture.expireToken()
            await fixture.thunderID.stop()
            expectOneLine(try await fixture.run("token"), status: 5, of: "token")
        }
    }

    @Test("A full disk is one line, and nothing is half-written")
    func diskFull() async throws {
        try await withTool { fixture in
            let password = fixture.insForge.user.password
            // Bytes of files are limited, not those of pipes.
            let full = "trap '' XFSZ; ulimit -f 0; "
            let login = #""$0" login --provider home --username \#(fixture.insForge.user.email) --password-stdin"#
            let result = try await fixture.shell(full + "echo '\(password)' | " + login)
            expectOneLine(result, status: 5, of: "login")
            #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")

            let file = fixture.folder.appendingPathComponent("new.json").path
            let written = try await fixture.shell(
                full
                    + #""$0" config init --config '\#(file)' --type insforge --set baseURL=https://example.insforge.app"#
            )
            expectOneLine(written, status: 1, of: "config init")
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test("Closed streams: no answer, no token in a file, the store as it was")
    func closedStreams() async throws {
        try await withTool { fixture in
            let login = try await fixture.shell(#""$0" login --provider home <&-"#)
            expectOneLine(login, status: 1, of: "login")
            #expect(try await fixture.signIn().status == 0)
            let token = try await fixture.run("token").output
            expectOneLine(try await fixture.shell(#""$0" token >&-"#), status: 1, of: "token")
            let silent = try await fixture.shell(#""$0" token 2>&-; "$0" whoami 2>&- <&- > /dev/null"#)
            #expect(silent.status == 0 && silent.output == token)
            #expect(try await fixture.run("token").output == token)
            #expect(try await fixture.run("doctor", "--offline").status == 0)
            // No file that is opened later gets the number of a stream.
            let open = #"for number in 0 1 2; do [ -e /dev/fd/$number ] || exit 9; done"#
            let inherited = try await fixture.shell(#""$0" exec -- sh -c '\#(open)' <&- >&- 2>&-"#)
            #expect(inherited.status == 0)
        }
    }

    @Test(
        "A reader who has left ends every command with 141, without a word", arguments: ["token", "whoami", "accounts"])
    func readerGone(command: String) async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let script = #"mkfifo "$XDG_STATE_HOME/f"; exec 3<>"$XDG_STATE_HOME/f" 4>"$XDG_STATE_HOME/f" 3<&-; "#
            // As a terminal starts it: whoever runs the tests may ignore the signal. And not as a child of the shell, which
            // says 141 of a child that the system has ended as well.
            let fresh = #"exec perl -e '$SIG{PIPE} = "DEFAULT"; exec @ARGV' "#
            let result = try await fixture.shell(script + fresh + #""$0" \#(command) >&4"#)
            #expect(result.status == 141)
            #expect(result.errors.isEmpty)
        }
    }

    @Test("Ctrl-C ends every question with 130", arguments: ["User", "Password: "])
    func interruptedPrompt(question: String) async throws {
        try await withTool { fixture in
            let (run, terminal) = try fixture.start("login", "--provider", "work")
            await terminal.waits(for: ": ")
            if question == "Password: " {
                terminal.type(fixture.thunderID.user.username)
                await terminal.waits(for: question)
            }
            run.interrupt()
            #expect(await run.finish().status == 130)
            #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")
        }
    }

    @Test("Who does not finish a sign-in on another device in time is told so")
    func deviceTimeout() async throws {
        try await withTool { fixture in
            let result = try await fixture.run("login", "--provider", "any", "--device", "--timeout", "1")
            #expect(result.status == 5 && result.errors.contains("was not finished within 1 seconds"))
        }
    }

    @Test("Ctrl-C ends the waiting for a browser or another device with 130", arguments: ["--no-browser", "--device"])
    func interruptedWaiting(flag: String) async throws {
        try await withTool { fixture in
            let (run, terminal) = try fixture.start("login", "--provider", "any", flag)
            await terminal.waits(for: flag == "--device" ? "The code is good for 10 minutes." : "http://")
            run.interrupt()
            #expect(await run.finish().status == 130)
        }
    }

    @Test("A key that others can open is told with the command after which they cannot")
    func openKey() async throws {
        try await withTool { fixture in
            #expect(try await fixture.signIn().status == 0)
            let key = fixture.folder.appendingPathComponent("state/identity.key").path
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
            let refused = try await fixture.run("whoami")
            expectOneLine(refused, status: 1, of: "whoami")
            let remedy = try #require(refused.errors.firstMatch(of: /Run: (.*)\n/)).output.1
            #expect(remedy.hasPrefix("chmod 600 "), "\(refused.errors)")
            #expect(try await fixture.shell(String(remedy)).status == 0)
            #expect(try await fixture.run("whoami").status == 0)
        }
    }

    @Test("A server that is no ThunderID is told as such, and not to be tried again")
    func otherServer() async throws {
        try await withTool { fixture in
            for server in [fixture.insForge.url, fixture.openIDConnect.url] {
                try fixture.configure(
                    ProviderConfiguration(
                        name: "work", type: "thunderid",
                        settings: [
                            "baseURL": .string(server.absoluteString), "allowsLoopbackHTTP": true, "clientID": "app",
                        ]))
                let result = try await fixture.run("login", "--username", "ada", "--password-stdin", input: "secret\n")
                #expect(result.status != 0)
                #expect(
                    result.errors.contains(
                        /There is no ThunderID server at 127\.0\.0\.1:\d+ .status \d{3}.. Check baseURL/),
                    "\(server): \(result.errors)")
            }
        }
    }
}
