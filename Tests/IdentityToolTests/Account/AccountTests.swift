import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// A tool that waits for ever must not keep the other tests waiting.
@Suite(.endsInTime) struct AccountTests {
    @Test("A person signs in at a terminal, and the password is not shown")
    func terminal() async throws {
        try await withTool { fixture in
            let (run, terminal) = try fixture.start("login", "--provider", "work")
            let user = fixture.thunderID.user
            await terminal.answers(": ", with: user.username)
            await terminal.answers("Password: ", with: user.password.reveal())
            let result = await run.finish()
            #expect(result.status == 0, "\(terminal.text)")
            #expect(result.output == "work/\(user.id)\n")
            #expect(terminal.text.contains(user.username))
            #expect(!terminal.text.contains(user.password.reveal()))
            #expect(try await fixture.run("whoami").output.hasPrefix("work/\(user.id)"))
        }
    }

    @Test("Lines that are pasted ahead of the questions answer them")
    func typedAhead() async throws {
        try await withTool { fixture in
            let (run, terminal) = try fixture.start("login", "--provider", "home")
            await terminal.answers(": ", with: "\(fixture.insForge.user.email)\n\(fixture.insForge.user.password)")
            #expect(await run.finish().status == 0, "\(terminal.text)")
        }
    }

    @Test("A wrong password is asked for again at a terminal, and ends a script with 4")
    func wrongPassword() async throws {
        try await withTool { fixture in
            let user = fixture.insForge.user
            let result = try await fixture.run(
                "login", "--provider", "home", typing: [user.email, "wrong", user.email, user.password])
            #expect(result.status == 0 && result.errors.count(of: "Password: ") == 2, "\(result)")

            let script = try await fixture.run(
                "login", "--provider", "home", "--username", fixture.insForge.user.email, "--password-stdin",
                input: "wrong\n")
            #expect(script.status == 4)
            #expect(script.output.isEmpty)
            #expect(script.errors.hasPrefix("identity: ") && script.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("Standard input that ends early is one line, and nothing is stored")
    func inputEnds() async throws {
        try await withTool { fixture in
            let result = try await fixture.run("login", "--provider", "work", input: "ada\n")
            #expect(result.status == 1)
            #expect(result.errors.hasPrefix("identity: work: Standard input ended"))
            #expect(try await fixture.run("accounts", "--json").output == "[\n\n]\n")
        }
    }

    @Test("Ctrl-C while a password is typed ends with 130 and gives the echo back", arguments: [true, false])
    func interrupted(asks: Bool) async throws {
        try await withTool { fixture in
            let terminal = try PseudoTerminal()
            let run = try ToolProcess.Run(
                ["login", "--provider", "home", "--username", "ada@example.org"] + (asks ? [] : ["--password-stdin"]),
                environment: fixture.environment, at: terminal)
            if asks { await terminal.waits(for: "Password: ") }
            await terminal.hidesInput()
            run.interrupt()
            #expect(await run.finish().status == 130)
            #expect(terminal.echoes)
        }
    }

    @Test("A password is hidden before it is asked for: a quick answer is as secret as a slow one")
    func hiddenBeforeAsked() async throws {
        try await withTool { fixture in
            let terminal = try PseudoTerminal()
            terminal.holdOutput()
            let user = fixture.insForge.user
            let run = try ToolProcess.Run(
                ["login", "--provider", "home", "--username", user.email], environment: fixture.environment,
                at: terminal)
            // The question cannot be shown yet.
            await terminal.hidesInput()
            terminal.resumeOutput()
            await terminal.answers("Password: ", with: user.password)
            #expect(await run.finish().status == 0, "\(terminal.text)")
            #expect(!terminal.text.contains(user.password))
            #expect(terminal.echoes)
        }
    }

    @Test("A browser signs in and comes back to this machine", arguments: [true, false])
    func browser(allows: Bool) async throws {
        try await withTool { fixture in
            let (call, address) = try await fixture.startBrowserLogin()
            let user = fixture.openIDConnect.user
            let login = ScriptedLogin(username: user.username, password: user.password, allows: allows)
            let callback = try await login.signIn(at: address)
            let (page, head) = try await DefaultTransport.make().data(for: URLRequest(url: callback))
            #expect(head.statusCode == 200)
            #expect(head.value(forHTTPHeaderField: "Content-Security-Policy")?.contains("default-src 'none'") == true)
            #expect(String(decoding: page, as: UTF8.self).contains("close this page"))
            let result = await call.finish()
            #expect(result.status == (allows ? 0 : 4), "\(result.errors)")
            #expect(result.output == (allows ? "any/\(user.id)\n" : ""))
        }
    }

    @Test("Only the browser that comes back ends the wait: another path, method or host does not")
    func strayRequests() async throws {
        try await withTool { fixture in
            let (call, address) = try await fixture.startBrowserLogin()
            let user = fixture.openIDConnect.user
            let login = ScriptedLogin(username: user.username, password: user.password)
            let callback = try await login.signIn(at: address)
            var elsewhere = URLRequest(url: callback.deletingLastPathComponent().appendingPathComponent("elsewhere"))
            elsewhere.httpMethod = "GET"
            var posted = URLRequest(url: callback)
            posted.httpMethod = "POST"
            var foreign = URLRequest(url: callback)
            foreign.setValue("attacker.example", forHTTPHeaderField: "Host")
            for request in [elsewhere, posted, foreign] {
                let status = try await DefaultTransport.make().data(for: request).1.statusCode
                #expect(status == 404, "\(request.httpMethod ?? "") \(request.allHTTPHeaderFields ?? [:])")
            }
            #expect(try await DefaultTransport.make().data(for: URLRequest(url: callback)).1.statusCode == 200)
            #expect(await call.finish().output == "any/\(user.id)\n")
        }
    }

    @Test("A code is entered on another device, and its picture is shown")
    func device() async throws {
        try await withTool { fixture in
            let result = try await fixture.signInOnDevice(allows: true)
            #expect(result.output == "any/\(fixture.openIDConnect.user.id)\n", "\(result.errors)")
        }
    }

    @Test("While a code is waited for, a line counts down what ends first, and there is none on a terminal that cannot")
    func countdown() async throws {
        try await withTool { fixture in
            for (timeout, words) in [("300", "Waiting for "), ("3600", "The code expires in ")] {
                let (run, terminal) = try fixture.start(
                    "login", "--provider", "any", "--device", "--timeout", timeout)
                await terminal.waits(for: words)
                await terminal.waits(for: ".")
                // How much is left of five minutes or ten depends on the machine.
                #expect(terminal.text.contains(try Regex("\r\(words)[0-9]+:[0-5][0-9]")), "\(terminal.text)")
                run.interrupt()
                #expect(await run.finish().status == 130)
            }
            let terminal = try PseudoTerminal()
            let run = try ToolProcess.Run(
                ["login", "--provider", "any", "--device", "--timeout", "1"],
                environment: fixture.environment.merging(["TERM": "dumb"]) { $1 }, at: terminal)
            #expect(await run.finish().status == 5)
            #expect(!terminal.text.contains("Waiting for") && !terminal.text.contains("\u{1B}"))
        }
    }

    /// An account whose provider was taken out of the configuration is listed as what it is.
    private func marksAccountsWithoutProvider(_ account: String, in fixture: ToolFixture) async throws {
        let configuration = fixture.configuration
        try fixture.configure(configuration.providers[0])
        let list = try await fixture.run("accounts").output
        #expect(list.contains("\(account)") && list.contains("no provider home is configured"), "\(list)")
        let rows = try JSONValue(parsing: Data(try await fixture.run("accounts", "--json").output.utf8)).arrayValue
        let marks = rows?.map { [$0["provider"]?.stringValue, $0["configured"]?.boolValue.map { "\($0)" }] }
        #expect(marks == [["home", "false"], ["work", "true"]], "\(list)")
        try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
    }

    @Test("Accounts are listed, switched between and signed out")
    func accounts() async throws {
        try await withTool { fixture in
            #expect(try await fixture.run("whoami").status == 3)
            let home = try await fixture.signIn().output.trimmingCharacters(in: .newlines)
            let user = fixture.thunderID.user
            let work = try await fixture.run(
                "login", "--provider", "work", "--json", input: "\(user.username)\n\(user.password.reveal())\n")
            #expect(try JSONValue(parsing: Data(work.output.utf8))["provider"] == "work")
            let list = try await fixture.run("accounts").output
            #expect(list.contains("* work/") && list.contains("  \(home)"))
            try await marksAccountsWithoutProvider(home, in: fixture)
            #expect(try await fixture.run("switch", "home").output.hasPrefix(home))
            let shown = try await fixture.run("whoami").output
            #expect(shown.hasPrefix(home))
            let unknown = try await fixture.run("switch", "nobody")
            #expect(unknown.status == 1 && unknown.errors.contains("There is no account \"nobody\""))
            let name = shown.dropFirst(home.count).trimmingCharacters(in: .whitespacesAndNewlines)
            let out = try await fixture.run("logout").errors
            #expect(!name.isEmpty && out.contains("Signed out \(name).") && !out.contains(home), "\(out)")
            #expect(try await fixture.run("whoami").output.hasPrefix("work/"))
            #expect(try await fixture.run("logout", "--all", "--json").status == 0)
            #expect(try await fixture.run("whoami").status == 3)
        }
    }
}
