import Foundation
import IdentityCore
import Testing

/// Numbers that servers, files and command lines name: none of them ends the process.
@Suite struct OutsideTimeTests {
    private static let absurd: [Double] = [
        1e300, -1e300, 1e22, -1e22, 1e19, .infinity, -.infinity, .nan, .greatestFiniteMagnitude,
    ]

    @Test("A number of seconds is a duration, or none", arguments: absurd + [-1, -0.001])
    func noDuration(seconds: Double) {
        #expect(Duration(outsideSeconds: seconds) == nil)
    }

    @Test("Usual numbers of seconds are what they are", arguments: [0, 0.5, 2, 86_400, 3e11])
    func duration(seconds: Double) {
        #expect(Duration(outsideSeconds: seconds) == .seconds(seconds))
    }

    @Test("A number of seconds since 1970 is a date of the calendar, or none", arguments: absurd + [253_402_300_800])
    func noDate(seconds: Double) {
        #expect(Date(outsideSecondsSince1970: seconds) == nil)
    }

    @Test("Dates of the calendar are what they are")
    func dates() throws {
        for date in [Date(timeIntervalSince1970: 0), .distantPast, .distantFuture] {
            #expect(Date(outsideSecondsSince1970: date.timeIntervalSince1970) == date)
        }
        let last = try #require(Date(outsideSecondsSince1970: 253_402_300_799))
        #expect(last.ISO8601Format() == "9999-12-31T23:59:59Z")
    }

    @Test("Whole seconds and milliseconds of any date can be counted", arguments: absurd)
    func whole(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect((-62_135_769_600...253_402_300_799).contains(date.wholeSecondsSince1970))
        let erased = StoreRecord(erasing: .account(AccountID(account: "ada", realm: "work")), afterDamageAt: date)
        #expect(StoreRecord.generations.contains(erased.generation))
        #expect(Date(timeIntervalSince1970: 1.5).wholeMillisecondsSince1970 == 1500)
    }

    @Test("A pause has an end", arguments: [Duration.seconds(1e18), .seconds(Int64.max), .seconds(-5), .zero])
    func pause(duration: Duration) async throws {
        #expect((Duration.zero...(.seconds(36_525 * 86_400))).contains(duration.asPause))
        #expect(!duration.formattedSeconds.isEmpty && !duration.inWholeSeconds.isEmpty)
        // The system's clock is asked for it, and the task given up.
        let sleeper = Task { try await TimeSource.system.sleep(for: duration) }
        sleeper.cancel()
        _ = await sleeper.result
    }
}
