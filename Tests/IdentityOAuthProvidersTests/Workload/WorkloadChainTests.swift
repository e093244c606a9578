import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

/// A program's account among the providers of a chain.
@Suite(.endsInTime) struct WorkloadChainTests {
    private static let account = AccountID(account: "service", realm: "machine")
    private static let next = AccountID(account: "next", realm: "next")

    /// A client of a workload and of a given token after it.
    private func client(
        _ workload: WorkloadProvider, _ deadline: SilentDeadline = .unlimited, fallsBack: Bool = false
    ) throws -> IdentityClient {
        let chain = try IdentityProviderChain([
            .init("machine", workload, silentDeadline: deadline, fallsBackWhenUnavailable: fallsBack),
            .init("next", StaticTokenProvider(token: "given", account: Self.next)),
        ])
        return IdentityClient(provider: chain, environment: IdentityEnvironment(store: MemoryTokenStore()))
    }

    @Test("Without a token the account is configured; with one it is signed in")
    func configured() async throws {
        let fixture = try await WorkloadFixture()
        let client = try client(fixture.provider(WorkloadFixture.credentials))
        #expect(try await client.account() == Self.account && client.isOnlyConfigured(Self.account))
        var attempt = try #require(try await client.explain().first)
        #expect(attempt.isOnlyConfigured)
        #expect(attempt.description == "machine: configured as machine/service, without a token so far")
        #expect(fixture.tokenRequests == 0)
        _ = try await client.accessToken()
        attempt = try #require(try await client.explain().first)
        #expect(attempt.description == "machine: signed in as machine/service" && !attempt.isOnlyConfigured)
        #expect(!client.isOnlyConfigured(Self.account) && !client.isOnlyConfigured(Self.next))
        fixture.clock.advance(by: .seconds(7200))
        #expect(client.isOnlyConfigured(Self.account))
        await fixture.stop()
    }

    @Test(
        "While its server cannot be reached the next provider answers, if the chain says so", arguments: [false, true])
    func unavailable(fallsBack: Bool) async throws {
        let fixture = try await WorkloadFixture()
        let client = try client(fixture.provider(WorkloadFixture.credentials), fallsBack: fallsBack)
        fixture.server.http.standingFaults = StandingFaults(failure: 503)
        if fallsBack {
            #expect(try await client.accessToken() == "given")
            #expect(try await client.account() == Self.next)
        } else {
            let error = await #expect(throws: (any Error).self) { try await client.accessToken() }
            #expect(error?.identityFailureClass == .transient)
        }
        await fixture.stop()
    }

    @Test("A server that refuses the program is no server that is away")
    func refused() async throws {
        let fixture = try await WorkloadFixture()
        let wrong = try fixture.provider(["clientID": "service", "clientSecret": "another"])
        let client = try client(wrong, fallsBack: true)
        let error = await #expect(throws: (any Error).self) { try await client.accessToken() }
        #expect(error?.identityFailureClass == .definitive)
        await fixture.stop()
    }

    @Test("A server that is too slow is not waited for, if the chain says so, and one that answers is used")
    func slow() async throws {
        let fixture = try await WorkloadFixture()
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/token")
        let workload = try fixture.provider(WorkloadFixture.credentials)
        #expect(try await client(workload, SilentDeadline(.milliseconds(1), .skip)).accessToken() == "given")
        gate.open()
        let patient = try client(workload, SilentDeadline(nil, .skip))
        #expect(try await patient.account() == Self.account && !patient.isOnlyConfigured(Self.account))
        await fixture.stop()
    }
}
