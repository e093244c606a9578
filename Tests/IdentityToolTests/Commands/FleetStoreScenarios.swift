import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// `identity store` for a store on PostgreSQL.
extension CommandScenario {
    static let fleetStore: [CommandScenario] = [
        CommandScenario(
            "identity store migrate --print | psql --single-transaction", needs: [.postgres, .program("psql")]
        ) { stage in
            #if PostgreSQL
            let variables = try stage.keepInDatabase(PostgresServer.shared())
            let before = try await stage.prepare("identity doctor", variables: variables)
            #expect(before.status == 1, "\(before)")
            // What the doctor says to run, with the other way to do it.
            let made = try await stage.run(
                "identity store migrate --print | psql --single-transaction", variables: variables)
            #expect(made.status == 0, "\(made)")
            #expect(try await stage.prepare("identity doctor", variables: variables).status == 0)
            #endif
        },
        CommandScenario("identity store migrate", needs: [.postgres]) { stage in
            #if PostgreSQL
            let variables = try stage.keepInDatabase(PostgresServer.shared())
            let refused = try await stage.prepare("identity accounts", variables: variables)
            #expect(refused.status != 0 && refused.errors.contains("Run: identity store migrate"), "\(refused)")
            let made = try await stage.run("identity store migrate", variables: variables)
            #expect(made.output == "The store is ready.\n", "\(made)")
            #expect(try await stage.prepare("identity accounts", variables: variables).status == 0)
            #endif
        },
        CommandScenario(
            "identity store audit --account work/ada\nidentity store audit --account work/ada --limit 1000 --json",
            needs: [.postgres]
        ) { stage in
            #if PostgreSQL
            var rules = LocalOpenIDConnectServer.Configuration()
            rules.users = [.init(id: "ada")]
            let server = try await LocalOpenIDConnectServer.start(configuration: rules)
            let variables = try stage.keepInDatabase(
                PostgresServer.shared(), provider: stage.openIDProvider(named: "work", at: server))
            #expect(try await stage.prepare("identity store migrate", variables: variables).status == 0)
            let (login, shown) = try await stage.signInInBrowser("identity login", variables: variables)
            #expect(login.output == "work/ada\n", "\(shown)")
            let trail = try await stage.run("identity store audit --account work/ada", variables: variables)
            #expect(trail.status == 0 && trail.output.contains("  sign_in  "), "\(trail)")
            let all = try await stage.run(
                "identity store audit --account work/ada --limit 1000 --json", variables: variables)
            let entries = try JSONValue(parsing: Data(all.output.utf8)).arrayValue ?? []
            #expect(!entries.isEmpty && entries.allSatisfy { $0["account"] == "work/ada" }, "\(all)")
            await server.stop()
            #endif
        },
    ]
}

#if PostgreSQL
extension CommandStage {
    /// Configures a store in a database of its own.
    /// - Returns: the variables that the configuration and PostgreSQL's programs read.
    func keepInDatabase(
        _ server: PostgresServer, provider: ProviderConfiguration? = nil
    ) throws -> [String: String] {
        let database = try server.database()
        let key = try file("key", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n")
        let provider = try JSONValue(parsing: JSONEncoder().encode(provider ?? fixture.insForgeProvider(named: "home")))
        let configuration: JSONValue = [
            "store": [
                "type": "postgres", "url": "${DATABASE_URL}", "audit": true,
                "key": ["home": "keyFile", "path": .string(key.path)],
            ],
            "providers": [provider],
        ]
        try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
        return [
            "DATABASE_URL": server.url(database).reveal(), "PGHOST": server.folder, "PGUSER": "postgres",
            "PGDATABASE": database,
        ]
    }
}
#endif
