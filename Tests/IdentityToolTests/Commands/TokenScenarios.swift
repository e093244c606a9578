import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// `identity token`, `exec` and `request`.
extension CommandScenario {
    static let token: [CommandScenario] = [
        CommandScenario(
            """
            identity token
            identity token --format header
            identity token --format json | jq -r .expiresAt
            """, needs: [.program("jq")]
        ) { stage in
            let token = try await stage.signedIn()
            #expect(try await stage.run("identity token").output == token + "\n")
            let header = try await stage.run("identity token --format header").output
            #expect(header == "Authorization: Bearer \(token)\n")
            let date = try await stage.run("identity token --format json | jq -r .expiresAt").output
            #expect(date.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n/) != nil, "\(date)")
        },
        CommandScenario("identity token --json") { stage in
            let token = try await stage.signedIn()
            let document = try JSONValue(parsing: Data(try await stage.run("identity token --json").output.utf8))
            #expect(document["accessToken"]?.stringValue == token, "\(document)")
        },
        CommandScenario("identity token --account ada@example.com") { stage in
            try await stage.keepPeople()
            #expect(try await stage.prepare("identity switch home").status == 0)
            let result = try await stage.run("identity token --account ada@example.com")
            #expect(result.output == "token-of-0190f6a277b1\n", "\(result)")
        },
        CommandScenario("identity token --min-life 10m") { stage in
            let token = try await stage.signedIn()
            #expect(try await stage.run("identity token --min-life 10m").output == token + "\n")
        },
        CommandScenario("identity token --verbose\nidentity -v token") { stage in
            #expect(try await stage.fixture.signInAtThunderID().status == 0)
            for line in ["identity token --verbose", "identity -v token"] {
                // A token that is good needs no exchange.
                try await stage.fixture.expireToken()
                let result = try await stage.run(line)
                #expect(result.status == 0 && result.errors.contains("/oauth2/token -> 200, "), "\(result.errors)")
                #expect(!result.errors.contains(result.output.trimmingCharacters(in: .newlines)))
            }
        },
        // curl is a program of somebody else's. What counts here is what it is given.
        CommandScenario(#"curl -H "$(identity token --format header)" https://api.example.com/me"#) { stage in
            let token = try await stage.signedIn()
            try stage.program("curl", #"for word; do echo "[$word]"; done"#)
            let result = try await stage.run(
                #"curl -H "$(identity token --format header)" https://api.example.com/me"#)
            #expect(
                result.output == "[-H]\n[Authorization: Bearer \(token)]\n[https://api.example.com/me]\n", "\(result)")
        },
        CommandScenario(
            "identity exec -- ./deploy.sh\nidentity exec --variable GITHUB_TOKEN -- gh api user"
        ) { stage in
            let token = try await stage.signedIn()
            try stage.file("deploy.sh", "#!/bin/sh\necho \"$SWIFT_IDENTITY_TOKEN $*\"\n", mode: 0o700)
            #expect(try await stage.run("identity exec -- ./deploy.sh").output == "\(token) \n")
            try stage.program("gh", "echo \"$GITHUB_TOKEN $*\"")
            let gh = try await stage.run("identity exec --variable GITHUB_TOKEN -- gh api user")
            #expect(gh.output == "\(token) api user\n", "\(gh.errors)")
            // The message for a command that is missing shows the same one.
            let missing = try await stage.prepare("identity exec")
            #expect(missing.status == 64, "\(missing)")
            #expect(try await stage.runAdvice("identity exec -- ./deploy.sh", in: missing.errors).status == 0)
        },
        CommandScenario(
            """
            identity request https://api.example.com/me
            identity request https://api.example.com/items \\
              -H 'Content-Type: application/json' -d '{"a":1}'
            identity request https://api.example.com/items --data @item.json --include
            """, needs: [.hosts]
        ) { stage in
            let token = try await stage.signedIn()
            let api = try await LocalHTTPServer.start { request in
                .text(
                    [
                        request.method, request.target, request.header("Authorization") ?? "nobody",
                        request.header("Content-Type") ?? "", String(decoding: request.body, as: UTF8.self),
                    ].joined(separator: "|"))
            }
            try await stage.host(["https://api.example.com": api.url])
            let me = try await stage.run("identity request https://api.example.com/me")
            #expect(me.output == "GET|/me|Bearer \(token)||", "\(me.errors)")
            let posted = try await stage.run(
                """
                identity request https://api.example.com/items \\
                  -H 'Content-Type: application/json' -d '{"a":1}'
                """)
            #expect(posted.output == #"POST|/items|Bearer \#(token)|application/json|{"a":1}"#, "\(posted.errors)")
            try stage.file("item.json", #"{"b":2}"#)
            let included = try await stage.run(
                "identity request https://api.example.com/items --data @item.json --include")
            #expect(included.output.contains("200") && included.output.hasSuffix(#"{"b":2}"#), "\(included)")
            await api.stop()
        },
        CommandScenario("identity exec\nidentity request\nidentity switch") { stage in
            // Pages name commands without what these need; the tool says what that is.
            for (line, missing) in [
                ("identity exec", "identity exec -- ./deploy.sh"), ("identity request", "<url>"),
                ("identity switch", "<account>"),
            ] {
                let result = try await stage.run(line)
                #expect(result.status == 64 && result.errors.contains(missing), "\(result)")
            }
        },
    ]
}

extension CommandStage {
    /// Signs the InsForge user in.
    /// - Returns: the token.
    func signedIn() async throws -> String {
        #expect(try await fixture.signIn().status == 0)
        return try await fixture.run("token").output.trimmingCharacters(in: .newlines)
    }
}
