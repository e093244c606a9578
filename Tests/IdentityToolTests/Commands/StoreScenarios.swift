import Foundation
import IdentityKit
import Testing

/// `identity store`.
extension CommandScenario {
    static let store: [CommandScenario] = [
        CommandScenario(
            """
            (umask 077 && head -c 32 /dev/urandom | base64 >identity-key)
            head -c 32 /dev/urandom | base64 >>identity-key
            identity store rekey
            """
        ) { stage in
            #expect(try await stage.run("(umask 077 && head -c 32 /dev/urandom | base64 >identity-key)").status == 0)
            try stage.sealWith("identity-key")
            let token = try await stage.signedIn()
            #expect(try await stage.run("head -c 32 /dev/urandom | base64 >>identity-key").status == 0)
            let keys = try stage.text(of: "identity-key").split(separator: "\n")
            #expect(keys.count == 2)
            // Then the new one is put first.
            try stage.file("identity-key", "\(keys[1])\n\(keys[0])\n")
            let rekeyed = try await stage.run("identity store rekey")
            #expect(rekeyed.status == 0, "\(rekeyed)")
            #expect(rekeyed.output.wholeMatch(of: /[1-9]\d* of \d+ records were sealed with another key.*\n/) != nil)
            // And the old one is taken away.
            try stage.file("identity-key", "\(keys[1])\n")
            let after = try await stage.prepare("identity token")
            #expect(after.output == token + "\n", "\(after.errors)")
        },
        CommandScenario("identity store purge --unused-for 90") { stage in
            let day: TimeInterval = 86_400
            try await stage.fixture.keep(AccountID(account: "1", realm: "home"), at: stage.fixture.insForge.url) {
                ($0.issuedAt, $0.expiresAt) = (Date() - 92 * day, Date() - 91 * day)
            }
            try await stage.fixture.keep(AccountID(account: "2", realm: "home"), at: stage.fixture.insForge.url) {
                ($0.issuedAt, $0.expiresAt) = (Date() - 90 * day, Date() - 89 * day)
            }
            let result = try await stage.run("identity store purge --unused-for 90")
            #expect(result.output == "1 of 2 sessions were erased.\n", "\(result.errors)")
        },
        CommandScenario("identity store migrate") { stage in
            let result = try await stage.run("identity store migrate")
            #expect(result.output == "This store needs no migration.\n", "\(result.errors)")
        },
    ]
}

extension CommandStage {
    /// Seals the store of the configuration with a key file of the working folder.
    func sealWith(_ name: String) throws {
        var configuration = fixture.configuration
        configuration.store = .file(
            folder: fixture.folder.appendingPathComponent("state/identity").path,
            key: .keyFile(path: work.appendingPathComponent(name).path))
        try JSONEncoder().encode(configuration).write(to: fixture.configurationFile)
    }
}
