import Foundation
import IdentityKit
import Testing

@testable import IdentityTesting
@testable import IdentityLocalServers

/// A server that runs for long forgets what was abandoned.
@Suite("What is left lying at the local servers", .stopsServers)
struct AbandonedVisitTests {
    @Test("Abandoned flows are reported for a while, and forgotten")
    func flows() async throws {
        let visitor = try await ThunderIDVisitor.start()
        for _ in 0..<3 { _ = try await visitor.startSignIn() }
        #expect(visitor.server.report.flows.map(\.state) == Array(repeating: .inProgress, count: 3))
        visitor.clock.advance(by: .seconds(3600))
        #expect(visitor.server.report.flows.map(\.state) == Array(repeating: .expired, count: 3))
        for _ in 0..<120 { _ = try await visitor.startSignIn() }
        let flows = visitor.server.report.flows
        #expect(flows.count == 123 && flows.count { $0.state == .expired } == 3)
        visitor.clock.advance(by: .seconds(3600))
        _ = try await visitor.startSignIn()
        // The last hundred ends, and the one that goes on.
        #expect(visitor.server.report.flows.count == 101)
        #expect(visitor.server.report.flows.first?.state == .inProgress)
    }

    @Test("A flow that failed and was abandoned is not reported as expired")
    func failed() async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.servesGate = true })
        let person = FormVisitor(visitor.server.url)
        let page = try await person.open(visitor.authorizationURL())
        _ = try await person.submit(page, pressing: "1")
        visitor.clock.advance(by: .seconds(3600))
        _ = try await visitor.startSignIn()
        #expect(visitor.server.report.flows.map(\.state) == [.inProgress, .failed])
    }

    @Test("Visits of the hosted pages end with their flows")
    func visits() {
        let clock = ManualClock()
        let visits = GateVisits(lifetime: .seconds(3600), time: clock.timeSource)
        func visit(_ id: String) -> GateVisit {
            GateVisit(
                executionID: id, applicationID: "", authID: nil, logoutID: nil, browser: "b",
                warnsOfPlainAddress: false, expiresAt: clock.now + 60)
        }
        visits.keep(visit("one"))
        clock.advance(by: .seconds(59))
        #expect(visits.value("one") != nil)
        clock.advance(by: .seconds(1))
        #expect(visits.value("one") == nil)
        visits.keep(visit("two"))
        #expect(visits.count == 1 && visits.value("two") != nil)
    }

    @Test("Abandoned requests make room for the next one")
    func requests() {
        let clock = ManualClock()
        let store = ExpiringStore<Int>(lifetime: .seconds(60), time: clock.timeSource)
        store.insert(1, for: "one")
        clock.advance(by: .seconds(59))
        store.insert(2, for: "two")
        #expect(store.count == 2 && store.value("one") == 1)
        clock.advance(by: .seconds(1))
        store.insert(3, for: "three")
        #expect(store.count == 2 && store.waiting == [3, 2])
    }

    @Test("A device that polls too late learns so once more before it is forgotten")
    func devices() {
        let clock = ManualClock()
        let devices = OpenIDDevices(lifetime: .seconds(60), interval: .seconds(5), time: clock.timeSource)
        func add() -> String { devices.add(clientID: "tv", scopes: [], resources: []).deviceCode }
        let code = add()
        func answer() -> String { "\(devices.ask(code, clientID: "tv"))" }
        clock.advance(by: .seconds(119))
        _ = add()
        #expect(answer() == "expired")
        clock.advance(by: .seconds(1))
        _ = add()
        #expect(answer() == "unknown")
    }

    @Test("The page of a flow that is over says so")
    func late() async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.servesGate = true })
        let person = FormVisitor(visitor.server.url)
        let page = try await person.open(visitor.authorizationURL())
        visitor.clock.advance(by: .seconds(3600))
        for late in [
            try await person.submit(page, GateTests.credentials(visitor)), try await person.open(page.url),
        ] {
            #expect(late.status == 400 && late.alert?.contains("took too long") == true)
        }
    }
}
