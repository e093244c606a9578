import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Many processes, one session, three resources.
@Suite(.serialized, .endsInTime) struct ResourceProcessTests {
    @Test(
        "Processes and tasks that want tokens for three resources send three requests in turn, and no refresh token twice",
        .guards("refresh token rotation"), arguments: StorePlace.allCases)
    func inTurn(place: StorePlace) async throws {
        // A spent refresh token that comes again ends the session.
        let server = try await LocalOpenIDConnectServer.start(
            configuration: .init { $0.resourceIndicators = .named }, time: .system)
        let folder = try TemporaryFolder()
        let store = try await place.configuration(in: folder)
        let providers: JSONValue = [
            "providers": [
                [
                    "name": "work", "type": "openid-connect",
                    "settings": [
                        "issuer": .string(server.issuer), "clientID": .string(server.client.id),
                        "redirectURI": "com.example.app:/callback", "allowsLoopbackHTTP": true,
                        "scopes": ["openid", "offline_access"],
                    ],
                ]
            ]
        ]
        let text = String(decoding: try JSONEncoder().encode(providers), as: UTF8.self)
        func start(_ action: String, tasks: Int = 1) throws -> ProbeProcess {
            try ProbeProcess([
                "do=\(action)", "configuration=\(try store.json)", "providers=\(text)", "tasks=\(tasks)",
                "username=\(server.user.username)", "password=\(server.user.password.reveal())",
            ])
        }
        let count = Extent.rounds(4, full: 256)
        for round in 1...Extent.rounds(1, full: 5) {
            #expect(try await start("resource-sign-in").end().lines == ["signed in"])
            let processes = try (0..<count).map { _ in try start("resource-tokens", tasks: 8) }
            var tokens: [String] = []
            for process in processes {
                let outcome = await process.end()
                #expect(outcome.failures == [])
                tokens += outcome.tokens
            }
            #expect(tokens.count == count * 24)
            // One token for each resource, and none for another one.
            #expect(Set(tokens).count == 3)
            #expect(Set(tokens.map { $0.split(separator: " ")[1] }).count == 3)
            #expect(server.counters.refreshes == round * 3)
            #expect(server.counters.replays == 0)
        }
        await server.stop()
    }
}
