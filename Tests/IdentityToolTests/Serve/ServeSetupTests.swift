import Foundation
import IdentityKit
import TestSupport
import Testing

@Suite("Users and clients of identity serve", .endsInTime)
struct ServeSetupTests {
    private let fixture: ServeFixture

    init() throws {
        fixture = try ServeFixture()
    }

    private func login(_ provider: String, _ name: String, _ password: String) async throws -> Int32 {
        try await fixture.run(
            "login", "--provider", provider, "--username", name, "--password-stdin", input: password + "\n"
        ).status
    }

    @Test("Only the users of a document sign in, and only at their servers")
    func users() async throws {
        let file = try fixture.write(
            """
            {"users": [
              {"username": "grace", "password": "${GRACE_PASSWORD}", "name": "Grace Hopper", "servers": ["thunderid"]},
              {"username": "alan", "password": "Enigma-1912", "email": "alan@example.com", "servers": ["insforge"]}
            ]}
            """, to: "users.json")
        let result = try await fixture.serve("--users", file, environment: ["GRACE_PASSWORD": "Hopper-1906"]) {
            announced in
            #expect(announced["servers"]?["thunderid"]?["users"] == ["grace"])
            #expect(announced["servers"]?["insforge"]?["users"] == ["alan@example.com"])
            #expect(announced["servers"]?["oidc"]?["users"] == [])
            let grace = try await login("thunderid", "grace", "Hopper-1906")
            #expect(grace == 0)
            let alan = try await login("insforge", "alan@example.com", "Enigma-1912")
            #expect(alan == 0)
            let strangers = [
                try await login("thunderid", "alan", "Enigma-1912"),
                try await login("insforge", "grace@example.org", "Hopper-1906"),
                // The well-known user.
                try await login("thunderid", "ada", "Enchantress-1"),
            ]
            #expect(strangers == [4, 4, 4])
        }
        for secret in ["Hopper-1906", "Enigma-1912"] {
            #expect(!result.output.contains(secret) && !result.errors.contains(secret))
        }
    }

    @Test("A user and a client are named on the command line, the password in standard input")
    func options() async throws {
        let uri = "com.example.mine://back"
        try await fixture.serve(
            "--user", "grace", "--user", "alan:Enigma-1912:alan@example.com", "--client", "mine=\(uri)",
            input: "Hopper-1906\n"
        ) { announced in
            #expect(announced["servers"]?["oidc"]?["users"] == ["grace", "alan"])
            let providers = announced["configuration"]?["providers"]?.arrayValue ?? []
            for provider in providers where provider["name"] != "insforge" {
                #expect(provider["settings"]?["clientID"] == "mine")
                #expect(provider["settings"]?["redirectURI"] == .string(uri))
            }
            let login = try await fixture.run(
                "login", "--provider", "thunderid", "--username", "grace", "--password-stdin", input: "Hopper-1906\n")
            #expect(login.status == 0, "\(login.errors)")
        }
    }

    @Test("A password is asked for at a terminal without being shown, and Ctrl-C there starts nothing")
    func prompt() async throws {
        let terminal = try PseudoTerminal()
        let run = try ToolProcess.Run(["serve", "--user", "grace"], environment: fixture.environment, at: terminal)
        await terminal.answers("Password of grace: ", with: "Hopper-1906")
        await run.waits(for: "Dashboard")
        run.interrupt()
        #expect(await run.finish().status == 0)
        #expect(!terminal.text.contains("Hopper-1906"))

        let other = try PseudoTerminal()
        let given = try ToolProcess.Run(["serve", "--user", "grace"], environment: fixture.environment, at: other)
        await other.waits(for: "Password of grace: ")
        given.interrupt()
        let result = await given.finish()
        #expect(result.status == 130 && result.output.isEmpty)
    }

    @Test("The secret of a client is not printed; the configuration refers to a variable")
    func clientSecret() async throws {
        let file = try fixture.write(
            """
            {"oidc": {"clients": [
              {"clientID": "web", "redirectURIs": ["http://127.0.0.1/callback"], "clientSecret": "a-planted-secret"}]}}
            """, to: "users.json")
        let result = try await fixture.serve("--users", file) { announced in
            let settings = announced["configuration"]?["providers"]?.arrayValue?.last?["settings"]
            #expect(settings?["clientSecret"] == "${OIDC_CLIENT_SECRET}")
            #expect(
                announced["servers"]?["oidc"]?["users"] == ["ada"], "no users are named, so the well-known ones stay")
        }
        #expect(!result.output.contains("a-planted-secret"))
    }

    @Test(
        "A mistake is one line with the file and the key path, and nothing starts",
        arguments: [
            (#"{"users": [{"username": "a"}]}"#, "users[0].password is missing"),
            (#"{"users": [{"username": "a", "password": "b", "passwort": "c"}]}"#, "users[0].passwort is not a known"),
            (#"{"users": [{"username": "a", "password": 7}]}"#, "users[0].password is"),
            (#"{"users": [{"username": " ", "password": "b"}]}"#, "users[0].username is not acceptable. It is empty."),
            (#"{"users": [{"username": "a", "password": "b", "email": "c"}]}"#, "users[0].email is not acceptable."),
            (
                #"{"users": [{"username": "a", "password": "b", "servers": ["x"]}]}"#,
                "Accepted: thunderid, insforge, oidc"
            ),
            (
                #"{"users": [{"username": "a", "password": "b"}, {"username": "a", "password": "c"}]}"#,
                "users[1].username is not acceptable. \"a\" belongs to another user of thunderid already."
            ),
            (
                #"{"users": [{"username": "a", "password": "x", "email": "e@f"}, {"username": "b", "password": "y", "email": "E@f"}]}"#,
                "users[1].email"
            ),
            (
                #"{"users": [{"username": "a", "password": "${NO_SUCH_VARIABLE}"}]}"#,
                "NO_SUCH_VARIABLE, which is not set"
            ),
            (#"{"oidc": {"clients": [{"clientID": "a", "redirectURIs": []}]}}"#, "oidc.clients[0].redirectURIs is not"),
            (
                #"{"thunderid": {"applications": [{"clientID": "a", "redirectURIs": ["/back"]}]}}"#,
                "thunderid.applications[0].redirectURIs[0]"
            ),
            (#"{"insforge": {"anonKey": "mine"}}"#, "insforge.anonKey"),
            (
                #"{"user": []}"#,
                "user is not a known setting. Did you mean \"users\"? Known here: insforge, oidc, thunderid, users."
            ),
            ("[", "is not JSON"),
        ])
    func mistakes(text: String, expected: String) async throws {
        let file = try fixture.write(text, to: "users.json")
        let result = try await fixture.run("serve", "--users", file, "--data", fixture.path("data"))
        #expect(result.status == 78)
        #expect(result.errors.hasPrefix("identity serve: \(file)"), "\(result.errors)")
        #expect(result.errors.contains(expected), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: fixture.path("data/serve.json")))
    }

    @Test("A file that is missing is told by its name")
    func missing() async throws {
        let result = try await fixture.run("serve", "--users", fixture.path("nowhere.json"))
        #expect(result.status == 78)
        #expect(result.errors.contains("There is no file of users at \(fixture.path("nowhere.json"))."))
    }

    @Test(
        "A wrong option is a wrong command line, and a password in it is not repeated",
        arguments: [
            ["--user", "a:planted:secret:x"], ["--user", ":planted"], ["--client", "mine"],
            ["--client", "mine=/back"], ["--users", "-", "--user", "a"], ["--access-token-lifetime", "0"],
        ])
    func wrongOptions(arguments: [String]) async throws {
        let result = try await Tool.run(["serve"] + arguments)
        #expect(result.status == 64)
        #expect(!result.errors.contains("planted"))
    }

    @Test("The schema knows what a document can say")
    func schema() async throws {
        let result = try await fixture.run("serve", "--schema")
        let properties = try JSONValue(parsing: Data(result.output.utf8))["properties"]
        #expect(properties?["users"]?["items"]?["required"] == ["password", "username"])
        #expect(
            properties?["users"]?["items"]?["properties"]?["servers"]?["items"]?["enum"]
                == ["thunderid", "insforge", "oidc"])
        #expect(properties?["oidc"]?["properties"]?["clients"]?["items"]?["properties"]?["clientSecret"] != nil)
    }

    @Test("A configuration that cannot be written is one line")
    func unwritable() async throws {
        let result = try await fixture.run("serve", "--configuration", "/dev/null/identity.json")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors == "identity serve: /dev/null/identity.json cannot be written: Not a directory.\n")
    }
}
