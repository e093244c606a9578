import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Many processes, one session, three resources, and a server at which a spent refresh token that comes again ends the session.
@Suite(.serialized, .endsInTime) struct ResourceProcessTests {
    private static let tasks = 8

    /// The session, and the processes that share it.
    private struct Stage {
        let server: LocalOpenIDConnectServer
        let style: String
        /// How many processes ask at once.
        let count: Int
        private let store: StoreConfiguration
        private let folder: TemporaryFolder
        /// How far all clocks are ahead of this machine's, in seconds.
        private let shift = Locked(0)

        init(
            _ indicators: LocalOpenIDConnectServer.ResourceIndicators, style: String, in place: StorePlace
        ) async throws {
            let ahead = shift
            server = try await LocalOpenIDConnectServer.start(
                configuration: .init { $0.resourceIndicators = indicators },
                time: TimeSource(
                    now: { Date() + TimeInterval(ahead.withLock { $0 }) }, sleep: { try await Task.sleep(for: $0) }))
            self.style = style
            count = place == .files ? Extent.rounds(16, full: 256) : 16
            folder = try TemporaryFolder()
            store = try await place.configuration(in: folder)
        }

        /// Lets every token expire.
        func expire() { shift.withLock { $0 += 3600 } }

        /// How often the server was asked for tokens.
        var requests: Int { server.http.log.count { $0.path == "/token" } }

        func start(_ action: String) throws -> ProbeProcess {
            let providers: JSONValue = [
                "providers": [
                    [
                        "name": "work", "type": "openid-connect",
                        "settings": [
                            "issuer": .string(server.issuer), "clientID": .string(server.client.id),
                            "redirectURI": "com.example.app:/callback", "allowsLoopbackHTTP": true,
                            "scopes": ["openid", "offline_access"], "tokensByResource": .string(style),
                        ],
                    ]
                ]
            ]
            let text = String(decoding: try JSONEncoder().encode(providers), as: UTF8.self)
            return try ProbeProcess([
                "do=\(action)", "configuration=\(try store.json)", "providers=\(text)", "tasks=\(tasks)",
                "username=\(server.user.username)", "password=\(server.user.password.reveal())",
                "user=\(server.user.id)", "shift=\(shift.withLock { $0 })",
            ])
        }

        /// What processes print that ask at the same time.
        func together() async throws -> [ProbeProcess.Outcome] {
            var outcomes: [ProbeProcess.Outcome] = []
            for process in try (0..<count).map({ _ in try start("resource-tokens") }) {
                outcomes.append(await process.end())
            }
            return outcomes
        }
    }

    /// The resource that a token is for, as it says itself.
    private static func audience(of token: Substring) -> String? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        let text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: padded).flatMap { try? JSONValue(parsing: $0) }?["aud"]?.stringValue
    }

    @Test(
        "Processes and tasks that want tokens for three resources send three requests in turn, and no refresh token twice",
        .guards("refresh token rotation"), arguments: StorePlace.allCases)
    func inTurn(place: StorePlace) async throws {
        let stage = try await Stage(.named, style: "rfc8707", in: place)
        for _ in 1...Extent.rounds(1, full: 2) {
            try await expectTurns(on: stage, inFiles: place == .files)
            // What has ended at the server ends here with one request, for everybody.
            stage.server.revokeTokens(ofUser: stage.server.user.id)
            stage.expire()
            let requests = stage.requests
            let failures = try await stage.together().flatMap(\.failures)
            #expect(failures.count == stage.count * Self.tasks * 3 && Set(failures) == ["session_ended"])
            #expect(stage.requests == requests + 1)
        }
        await stage.server.stop()
    }

    @Test("So they do where scopes name the resource, as at Microsoft Entra ID")
    func byScopes() async throws {
        let stage = try await Stage(.beforeScopes, style: "entra", in: .files)
        try await expectTurns(on: stage, inFiles: true)
        await stage.server.stop()
    }

    /// Three requests for a session without tokens for resources, three for one whose tokens have all expired, and three for one
    /// that a process has for itself.
    private func expectTurns(on stage: Stage, inFiles: Bool) async throws {
        let start = stage.server.counters
        let first = stage.requests
        #expect(try await stage.start("resource-sign-in").end().lines == ["signed in"])
        let callers = Self.tasks * 3
        for turn in 1...2 {
            let outcomes = try await stage.together()
            #expect(outcomes.flatMap(\.failures) == [])
            let tokens = outcomes.flatMap(\.tokens)
            #expect(tokens.count == stage.count * callers && Set(tokens).count == 3)
            // Nobody is given a token for another resource than they asked for.
            for words in Set(tokens).map({ $0.split(separator: " ") }) {
                #expect(words.count == 3 && Self.audience(of: words[2]).map { $0 == words[1] } == true)
            }
            #expect(stage.server.counters.refreshes == start.refreshes + turn * 3)
            // Each caller looks once; whoever waits looks once, after every change (a result and its verification), and once
            // with the lease.
            if inFiles { #expect(outcomes.map(\.looks).reduce(0, +) <= stage.count * callers * (1 + 1 + 6 + 1)) }

            let later = try await stage.start("resource-tokens-in-turn").end()
            #expect(Set(later.tokens) == Set(tokens) && later.failures == [])
            if inFiles { #expect(later.looks == 1) }
            stage.expire()
        }
        // Two looks for each refresh, without and with the lease, and one at what the last one has stored.
        let alone = try await stage.start("resource-tokens-in-turn").end()
        #expect(alone.tokens.count == callers && Set(alone.tokens).count == 3 && alone.failures == [])
        if inFiles { #expect(alone.looks == 3 * 2 + 1) }
        #expect(stage.server.counters.refreshes == start.refreshes + 9)
        #expect(stage.server.counters.replays == 0 && stage.requests == first + 10)
    }
}

extension ProbeProcess.Outcome {
    /// How often the process has looked at sessions in the store.
    fileprivate var looks: Int {
        lines.last { $0.hasPrefix("looks ") }.flatMap { Int($0.dropFirst("looks ".count)) } ?? -1
    }
}
