#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// Sign-outs of a fleet whose backend cannot be told at once.
@Suite(.endsInTime) struct PostgresOutboxTests {
    @Test("Of eight machines one sends each revocation that waits, and nothing of it is left")
    func once() async throws {
        let (isAway, revoked) = (Locked(true), Locked<[Secret]>([]))
        let fleet = try await PostgresFleetSession { credential in
            if isAway.withLock({ $0 }) { throw TransportError.connectionRefused(host: "id.example.com") }
            revoked.withLock { $0.append(credential.accessToken) }
        }
        let here = fleet.sessions()
        for _ in 0..<5 {
            try await fleet.begin(on: here)
            let ended = try #require(try await here.end(fleet.account))
            await here.revoke(ended, of: fleet.account)
        }
        #expect(try waiting(fleet) == "5")
        isAway.withLock { $0 = false }
        fleet.clock.advance(by: .seconds(61))
        let machines = try (0..<8).map { _ in try fleet.sessionsElsewhere() }
        await withTaskGroup(of: Void.self) { group in
            for machine in machines { group.addTask { await machine.deliverRevocations() } }
        }
        #expect(revoked.withLock { $0.count } == 5)
        #expect(try waiting(fleet) == "0")
    }

    private func waiting(_ fleet: PostgresFleetSession) throws -> String {
        try fleet.server.sql(
            "SELECT count(*) FROM identity_records WHERE collection = 'revocations' AND content IS NOT NULL",
            in: fleet.database)
    }
}
#endif
