import IdentityKit

extension RefreshMonitor {
    /// What is reported while `body` runs.
    package func reports(during body: () async throws -> Void) async throws -> [SessionReport] {
        let reports = reports()
        try await body()
        // No other report is for this account.
        let end = AccountID(account: "end", realm: "reports")
        report(.stored(end))
        var heard: [SessionReport] = []
        for await report in reports {
            if case .stored(end) = report { break }
            heard.append(report)
        }
        return heard
    }
}
