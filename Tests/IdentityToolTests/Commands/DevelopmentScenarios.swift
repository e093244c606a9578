import Foundation
import IdentityKit
import Testing

/// `identity serve`, `demo`, `plugin`, `completion` and `manual`.
extension CommandScenario {
    static let development: [CommandScenario] =
        serving + [
            CommandScenario(
                "identity demo\nidentity demo --verbose\nidentity demo --json | jq '.steps[].title'",
                needs: [.program("jq")]
            ) { stage in
                let demo = try await stage.run("identity demo")
                #expect(demo.status == 0 && !demo.output.contains("✘"), "\(demo)")
                let verbose = try await stage.run("identity demo --verbose")
                #expect(verbose.status == 0 && (verbose.output + verbose.errors).contains("POST "), "\(verbose)")
                let titles = try await stage.run("identity demo --json | jq '.steps[].title'")
                let names = titles.output.split(separator: "\n").map { $0.trimmingPrefix("\"").dropLast() }
                #expect(names.count > 8, "\(titles)")
                for name in names { #expect(demo.output.contains("✔ \(name)  "), "\(name)") }
            },
            CommandScenario(
                """
                identity plugin new Acme
                cd acme
                identity plugin new Acme --folder ~/acme
                identity plugin new
                """
            ) { stage in
                let here = try await stage.run("identity plugin new Acme")
                #expect(here.status == 0 && stage.hasFile("acme/Package.swift"), "\(here)")
                let moved = try await stage.run("cd acme", then: "cat Sources/Acme/AcmeProvider.swift")
                #expect(moved.output.contains("struct Settings"), "\(moved)")
                #expect(try await stage.run("identity plugin new Acme --folder ~/acme").status == 0)
                #expect(stage.hasFile("~/acme/Tests/AcmeTests/AcmeBackend.swift"))
                #expect(try await stage.run("identity plugin new").errors.contains("<name>"))
            },
            CommandScenario("identity plugin new Acme --oauth\nidentity plugin new Tidewater --oauth") { stage in
                for name in ["Acme", "Tidewater"] {
                    let result = try await stage.run("identity plugin new \(name) --oauth")
                    let file = "\(name.lowercased())/Sources/\(name)/\(name)Plugin.swift"
                    #expect(result.status == 0 && stage.hasFile(file), "\(result)")
                }
            },
            CommandScenario("source <(identity completion bash)") { stage in
                let result = try await stage.run(
                    "source <(identity completion bash)", then: "complete -p identity", shell: "/bin/bash")
                #expect(result.status == 0 && result.output.contains("identity"), "\(result)")
            },
            CommandScenario(
                """
                identity completion zsh > "${fpath[1]}/_identity"
                identity completion fish > ~/.config/fish/completions/identity.fish
                """
            ) { stage in
                // Bash counts from 0; otherwise it reads this line as zsh does.
                let zsh = try await stage.run(
                    #"identity completion zsh > "${fpath[1]}/_identity""#, after: "fpath=(nowhere ~)",
                    shell: "/bin/bash")
                #expect(zsh.status == 0, "\(zsh)")
                #expect(try stage.text(of: "~/_identity").hasPrefix("#compdef identity"))
                // fish makes this folder when it is first started.
                #expect(try await stage.prepare("mkdir -p ~/.config/fish/completions").status == 0)
                #expect(
                    try await stage.run("identity completion fish > ~/.config/fish/completions/identity.fish").status
                        == 0)
                #expect(try stage.text(of: "~/.config/fish/completions/identity.fish").contains("complete -c"))
            },
            CommandScenario("identity client-document https://app.example.com/client.json") { stage in
                let printed = try await stage.run("identity client-document https://app.example.com/client.json")
                let document = try JSONValue(parsing: Data(printed.output.utf8))
                #expect(document["client_id"] == "https://app.example.com/client.json")
                #expect(document["client_name"] == "app.example.com")
                #expect(document["redirect_uris"] == ["http://127.0.0.1/callback"])
                #expect(document["token_endpoint_auth_method"] == "none")
            },
            CommandScenario(
                """
                identity client-document https://app.example.com/client.json --name Notes \\
                  --redirect-uri com.example.app:/callback
                """
            ) { stage in
                let printed = try await stage.run(
                    "identity client-document https://app.example.com/client.json --name Notes \\\n"
                        + "  --redirect-uri com.example.app:/callback")
                let document = try JSONValue(parsing: Data(printed.output.utf8))
                #expect(
                    document["client_name"] == "Notes" && document["redirect_uris"] == ["com.example.app:/callback"])
            },
            CommandScenario("identity manual\nidentity manual | man -l -", needs: [.program("man")]) { stage in
                let page = try await stage.run("identity manual").output
                #expect(page.contains(".TH"))
                let shown = try await stage.run("identity manual | man -l -")
                #expect(
                    shown.status == 0 && shown.output.contains("SYNOPSIS") && !shown.output.contains(".TH"), "\(shown)")
            },
            CommandScenario(
                "mkdir -p ~/.local/share/man/man1\nidentity manual > ~/.local/share/man/man1/identity.1",
                needs: [.program("man")]
            ) { stage in
                #expect(try await stage.run("mkdir -p ~/.local/share/man/man1").status == 0)
                let line = "identity manual > ~/.local/share/man/man1/identity.1"
                // man looks there for whoever has ~/.local/bin on PATH.
                let found = try await stage.run(
                    line, then: "mkdir -p ~/.local/bin && PATH=$PATH:~/.local/bin man -w identity")
                #expect(found.output == stage.home.path + "/.local/share/man/man1/identity.1\n", "\(found)")
            },
            CommandScenario("identity --version") { stage in
                let version = try await stage.run("identity --version").output
                #expect(version.first?.isNumber == true, "\(version)")
            },
        ]

    /// What `identity serve` prints last once everything has started.
    private static let ready = "\n}\n"

    private static let serving: [CommandScenario] = [
        CommandScenario("identity serve") { stage in
            let serve = try await stage.runUntil(ready, is: "identity serve")
            #expect(serve.output.hasPrefix("ThunderID  ") && serve.output.contains("Dashboard  "), "\(serve)")
        },
        CommandScenario("identity serve --user grace --client my-app=com.example.app://callback") { stage in
            // The password is asked for.
            let terminal = try PseudoTerminal()
            let line = "identity serve --user grace --client my-app=com.example.app://callback"
            let serve = try stage.start(line, at: terminal)
            await terminal.waits(for: "assword")
            await terminal.hidesInput()
            terminal.type("Hopper-1906")
            await serve.waits(for: ready)
            serve.interruptAll()
            let result = await serve.finish()
            #expect(result.status == 0 && result.output.contains("grace"), "\(terminal.text)")
            #expect(result.output.contains("my-app") && !terminal.text.contains("Hopper"), "\(result)")
        },
        CommandScenario(
            """
            identity serve --users users.json --data ~/.local/state/identity-serve
            identity serve --users users.json --data ~/.local/share/identity-dev
            identity serve --schema > users.schema.json
            """
        ) { stage in
            try stage.file("users.json", #"{"users": [{"username": "grace", "password": "Hopper-1906"}]}"#)
            for folder in ["state/identity-serve", "share/identity-dev"] {
                let line = "identity serve --users users.json --data ~/.local/\(folder)"
                let first = try await stage.runUntil(ready, is: line)
                #expect(first.output.contains("grace") && !first.output.contains("user ada"), "\(first)")
                #expect(stage.hasFile("~/.local/\(folder)/serve.json"))
            }
            #expect(try await stage.run("identity serve --schema > users.schema.json").status == 0)
            let schema = try JSONValue(parsing: Data(try stage.text(of: "users.schema.json").utf8))
            #expect(schema["properties"]?["users"] != nil)
        },
        CommandScenario("identity serve --thunderid-port 8090 --dashboard-port 8099") { stage in
            let line = "identity serve --thunderid-port 8090 --dashboard-port 8099"
            let serve = try await stage.runUntil(ready, is: line, at: [8090, 8099])
            #expect(serve.output.contains("http://127.0.0.1:8090") && serve.output.contains("http://127.0.0.1:8099"))
        },
        CommandScenario("identity serve --configuration identity.json --oidc-port 8092") { stage in
            let line = "identity serve --configuration identity.json --oidc-port 8092"
            let serve = try await stage.runUntil(ready, is: line, at: [8092])
            #expect(serve.output.contains("http://127.0.0.1:8092"), "\(serve)")
            #expect(try stage.text(of: "identity.json").contains("http://127.0.0.1:8092"))
        },
        CommandScenario("identity serve --insforge-control-port 8091") { stage in
            let line = "identity serve --insforge-control-port 8091"
            let serve = try await stage.runUntil(ready, is: line, at: [8091])
            #expect(serve.output.contains(":8091"), "\(serve)")
        },
    ]
}
