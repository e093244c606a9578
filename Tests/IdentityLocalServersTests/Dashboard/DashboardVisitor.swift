import Foundation
import IdentityKit
import Testing

@testable import IdentityTesting
@testable import IdentityLocalServers

/// A person, or an attacker, at the dashboard of three fresh servers.
struct DashboardVisitor: Sendable {
    let dashboard: LocalDashboard
    let thunderID: ThunderIDVisitor
    let insForge: InsForgeProbe
    let openIDConnect: PlainOpenIDClient

    static func start(user: LocalThunderIDServer.User = .init()) async throws -> DashboardVisitor {
        let clock = ManualClock()
        let thunderID = try await LocalThunderIDServer.start(configuration: .init(user: user), clock: clock)
            .untilTestEnds()
        let insForge = try await LocalInsForgeServer.start(clock: clock).untilTestEnds()
        let openIDConnect = try await LocalOpenIDConnectServer.start(clock: clock).untilTestEnds()
        let dashboard = try await LocalDashboard.start(about: [.init(thunderID), .init(insForge), .init(openIDConnect)])
        StoppedServers.atEnd { await dashboard.stop() }
        return DashboardVisitor(
            dashboard: dashboard, thunderID: ThunderIDVisitor(server: thunderID, clock: clock),
            insForge: InsForgeProbe(server: insForge, clock: clock), openIDConnect: PlainOpenIDClient(openIDConnect))
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> LocalAnswer {
        try await send("GET", path, form: nil, headers)
    }

    /// The texts of all tabs of a server.
    func tabs(_ site: String) async throws -> String {
        var text = ""
        for tab in DashboardTab.allCases { text += try await get("/\(site)?tab=\(tab.rawValue)").body }
        return text
    }

    func post(_ path: String, _ form: [(String, String)], headers: [String: String] = [:]) async throws -> LocalAnswer {
        try await send("POST", path, form: form, headers)
    }

    /// Asks in a way that is neither.
    func ask(_ method: String, _ path: String) async throws -> LocalAnswer {
        try await send(method, path, form: nil, [:])
    }

    /// Presses a button with the token of the page, and goes where that leads.
    func press(_ path: String, _ form: [(String, String)] = [], headers: [String: String] = [:]) async throws
        -> LocalAnswer
    {
        let answer = try await post(path, [("token", try await token())] + form, headers: headers)
        guard answer.status == 303, let location = answer.header("Location") else { return answer }
        return try await get(location, headers: headers)
    }

    /// What every button of the page carries.
    func token() async throws -> String {
        let pieces = try await get("/thunderid?tab=faults").body.components(separatedBy: #"name="token" value=""#)
        return String(try #require(pieces.dropFirst().first).prefix { $0 != "\"" })
    }

    private func send(
        _ method: String, _ path: String, form: [(String, String)]?, _ headers: [String: String]
    ) async throws -> LocalAnswer {
        let url = try #require(URL(string: dashboard.url.absoluteString + path))
        return try await DefaultTransport.make().answer(to: URLRequest(method, url, headers: headers, form: form))
    }
}
