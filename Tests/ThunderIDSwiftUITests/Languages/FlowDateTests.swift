import Foundation
import IdentityKit
import Testing
import ThunderID

@testable import ThunderIDSwiftUI

/// Date fields: the server's text and the picker's date.
@MainActor @Suite struct FlowDateTests {
    nonisolated private static let zones = [
        "UTC", "Europe/Zurich", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Sao_Paulo", "Asia/Beirut",
    ]

    @Test("A day is the same day in every time zone, also where it has no midnight", arguments: zones)
    func days(zone: String) throws {
        let zone = try #require(TimeZone(identifier: zone))
        for text in ["2000-02-29", "2018-11-04", "1999-12-31", "2026-03-29", "1900-01-01", "9999-12-31"] {
            let date = try #require(FieldDate.date(of: text, in: zone))
            #expect(FieldDate.text(of: date, in: zone) == text)
            #expect(FieldDate.text(of: date + 3600 * 11, in: zone) == text)
            #expect(FieldDate.text(of: date - 3600 * 11, in: zone) == text)
        }
    }

    @Test(
        "What names no day is none",
        arguments: [
            "", "2000", "2000-02-30", "1900-02-29", "2000-13-01", "2000-00-10", "2000-01-00", "0000-01-01", "2000-1-01",
            "2000-01-1", "+200-01-01", "-200-01-01", "2000/01/01", "2000-01-01T00:00:00Z", " 2000-01-01", "２０００-01-01",
            "20000-01-01", "2000-0é-1", String(repeating: "2000-01-01", count: 10_000),
        ])
    func noDays(text: String) {
        #expect(FieldDate.date(of: text) == nil)
    }

    @Test("A date that has no such text has none")
    func outside() {
        #expect(FieldDate.text(of: .distantPast - 1e12) == nil)
        #expect(FieldDate.text(of: Date(timeIntervalSince1970: 1e12)) == nil)
    }

    @Test("A chosen date is sent as its day, and one that was taken away is not")
    func field() async throws {
        let steps = [ScriptedFlow.step([("birthdate", "DATE_INPUT")], actions: ["next"]), ScriptedFlow.complete]
        let server = try await ScriptedFlow(steps)
        let flow = await server.flow()
        #expect(flow.inputs.first?.kind == .date && flow.date(for: "birthdate") == nil)
        flow.setDate(FieldDate.date(of: "1815-12-10"), for: "birthdate")
        #expect(flow.value(for: "birthdate") == "1815-12-10" && flow.date(for: "birthdate") != nil)
        flow.setDate(nil, for: "birthdate")
        await flow.advance()
        // It is a field that the step needs.
        #expect(server.calls.count == 1 && flow.problems["birthdate"] != nil)
        flow.setDate(FieldDate.date(of: "1815-12-10"), for: "birthdate")
        await flow.advance()
        #expect(server.calls.dropFirst().first?["inputs"] == ["birthdate": "1815-12-10"])
        await server.http.stop()
    }
}
