import Foundation

/// The measurements with one number of accounts. All times are in seconds. They are medians, except for `slowRefresh`,
/// which is the 95th percentile.
struct FleetRow {
    let accounts: Int
    let cachedToken: Double
    let roundTrip: Double
    let lookUp: Double
    let refresh: Double
    let slowRefresh: Double
    let statementsPerRefresh: Double
    let refreshesPerSecond: Double

    static func table(_ rows: [FleetRow], cachedTokenInFiles file: Double) -> String {
        let lines: [(String, (FleetRow) -> String)] = [
            ("accounts", { $0.accounts.formatted() }),
            ("a cached token", { Unit.seconds.text($0.cachedToken) }),
            ("one statement, the limit of a look-up", { Unit.seconds.text($0.roundTrip) }),
            ("a look-up of an account that this program does not know", { Unit.seconds.text($0.lookUp) }),
            ("a refresh, without the endpoint's time", { Unit.seconds.text($0.refresh) }),
            ("the slowest of 20 such refreshes", { Unit.seconds.text($0.slowRefresh) }),
            ("statements for each refresh", { String(format: "%.2f", $0.statementsPerRefresh) }),
            ("refreshes a second, of 16 tasks", { String(format: "%.0f", $0.refreshesPerSecond) }),
        ]
        let text = lines.map { name, value in
            name.padding(toLength: 58, withPad: " ", startingAt: 0)
                + rows.map { value($0).padding(toLength: 14, withPad: " ", startingAt: 0) }.joined()
        }
        return (text + ["a cached token of a store in files: \(Unit.seconds.text(file))"]).joined(separator: "\n")
    }
}
