import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// Requests of a comparison with the real servers at which the local ones once differed visibly.
@Suite("What was once different from the real servers", .stopsServers)
struct DifferenceTests {
    @Test("ThunderID's server returns what the real one does")
    func thunderID() async throws {
        let cases = try DifferenceCase.load().thunderid
        #expect(cases.count == 62)
        let configuration = LocalThunderIDServer.Configuration {
            $0.application.description = "public native test client"
            $0.additionalApplications = [.init(id: "another", clientID: "another")]
        }
        let visitor = try await ThunderIDVisitor.start(configuration)
        let server = visitor.server
        for difference in cases {
            let (key, isBound) = (ClientKey(), difference.bound == true)
            var run = DifferenceRun(difference.about, at: server.url)
            run.authorization = { visitor.authorizationQuery($0.mapValues(Optional.some)) }
            run.values.merge([
                "app": server.application.id, "client": server.application.clientID,
                "user": server.user.username, "password": server.user.password.reveal(),
                "email": "ada@example.org", "long": String(repeating: "a", count: 100_000),
            ]) { $1 }
            if difference.needsTokens {
                let address = server.url.appendingPathComponent("oauth2/token")
                let headers = isBound ? try key.proof("POST", address, at: visitor.clock.now) : [:]
                let tokens = try await visitor.redeem(try await visitor.code(), headers: headers)
                for name in ["access_token", "refresh_token", "id_token"] {
                    run.values[name] = tokens[name]?.stringValue
                }
            }
            let accessToken = run.values["access_token"]
            run.proof = { proof in
                try (proof.isForeign == true ? ClientKey() : key).proof(
                    proof.method ?? "GET",
                    server.url.appendingPathComponent(proof.path ?? "/oauth2/userinfo"),
                    at: visitor.clock.now + (proof.seconds ?? 0),
                    accessToken: proof.path == "/oauth2/token" ? nil : accessToken,
                    id: proof.id ?? UUID().uuidString)
            }
            try await run.run(difference.steps)
        }
    }

    @Test("InsForge's server returns what the real one does")
    func insForge() async throws {
        let cases = try DifferenceCase.load().insforge
        #expect(cases.count == 5)
        for difference in cases {
            let probe = try await InsForgeProbe.start { $0.enforcesRateLimits = true }
            var run = DifferenceRun(difference.about, at: probe.server.url)
            try await run.run(difference.steps)
        }
    }

    @Test("What stays different has its reason")
    func reasons() throws {
        #expect(try DifferenceCase.load().different.allSatisfy { $0["about"] != nil && $0["reason"] != nil })
    }
}

extension DifferenceCase {
    fileprivate var needsTokens: Bool {
        steps.contains { step in
            let texts = (step.headers ?? [:]).merging(step.form ?? [:]) { $1 }.merging(step.token ?? [:]) { $1 }
            return texts.values.contains { $0.contains("_token}") }
        }
    }
}
