import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// Programs that exit while a thread still uses TLS. OpenSSL would then free what the thread uses, and the program would crash.
@Suite struct ExitTests {
    @Test("A transport works until the program has ended")
    func transport() async throws {
        let server = try await TLSServer.start(host: "localhost")
        let folder = try TemporaryFolder()
        try server.certificate.write(to: folder.file("authority.pem"))
        let probe = try ProbeProcess([
            "do=look-at-exit", "server=https://localhost:\(server.port)",
            "authority=\(folder.file("authority.pem").path)",
        ])
        let outcome = await probe.end()
        #expect(outcome.lines == ["answered 200", "answered 200"] && outcome.status == 0)
        server.stop()
    }

    #if PostgreSQL
    @Test("A store on a database works until the program has ended")
    func store() async throws {
        let port = FreePort.find()
        let server = try PostgresServer(listeningAt: "127.0.0.1", port: port, certifiedFor: "127.0.0.1")
        let folder = try TemporaryFolder()
        let url = server.remoteURL(try server.database(), at: "127.0.0.1", port: port)
        let configuration = StoreConfiguration(
            type: PostgresStorePlugin.type,
            settings: [
                "url": .string(url.reveal()), "deadline": StorePlace.patience,
                "key": ["home": "keyFile", "path": .string(folder.file("key").path)],
            ])
        try await StorePlace.registry.migrate(configuration)
        let probe = try ProbeProcess(["do=look-at-exit", "configuration=\(try configuration.json)"])
        let outcome = await probe.end()
        #expect(outcome.lines == ["read", "read"] && outcome.status == 0)
    }
    #endif
}
