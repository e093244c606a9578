import Foundation
import IdentityKit
import Testing

@testable import IdentityTesting
@testable import IdentityLocalServers

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A person, or an attacker, at the dashboard of three fresh servers.
struct DashboardVisitor: Sendable {
    struct Page: Sendable {
        let status: Int
        let text: String
        let head: HTTPURLResponse

        func header(_ name: String) -> String? { head.value(forHTTPHeaderField: name) }
    }

    let dashboard: LocalDashboard
    let thunderID: ThunderIDVisitor
    let insForge: InsForgeProbe
    let openIDConnect: PlainOpenIDClient

    static func with(
        user: LocalThunderIDServer.User = .init(), _ body: (DashboardVisitor) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let thunderID = try await LocalThunderIDServer.start(configuration: .init(user: user), clock: clock)
        let insForge = try await LocalInsForgeServer.start(time: clock.timeSource)
        let openIDConnect = try await LocalOpenIDConnectServer.start(clock: clock)
        let dashboard = try await LocalDashboard.start(about: [.init(thunderID), .init(insForge), .init(openIDConnect)])
        let visitor = DashboardVisitor(
            dashboard: dashboard, thunderID: ThunderIDVisitor(server: thunderID, clock: clock),
            insForge: InsForgeProbe(server: insForge, clock: clock), openIDConnect: PlainOpenIDClient(openIDConnect))
        var failure: (any Error)?
        do {
            try await body(visitor)
        } catch {
            failure = error
        }
        await dashboard.stop()
        await thunderID.stop()
        await insForge.stop()
        await openIDConnect.stop()
        if let failure { throw failure }
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> Page {
        try await send("GET", path, form: nil, headers)
    }

    /// The texts of all tabs of a server.
    func tabs(_ site: String) async throws -> String {
        var text = ""
        for tab in DashboardTab.allCases { text += try await get("/\(site)?tab=\(tab.rawValue)").text }
        return text
    }

    func post(_ path: String, _ form: [(String, String)], headers: [String: String] = [:]) async throws -> Page {
        try await send("POST", path, form: form, headers)
    }

    /// Asks in a way that is neither.
    func ask(_ method: String, _ path: String) async throws -> Page {
        try await send(method, path, form: nil, [:])
    }

    /// Presses a button with the token of the page, and goes where that leads.
    func press(_ path: String, _ form: [(String, String)] = [], headers: [String: String] = [:]) async throws -> Page {
        let answer = try await post(path, [("token", try await token())] + form, headers: headers)
        guard answer.status == 303, let location = answer.header("Location") else { return answer }
        return try await get(location, headers: headers)
    }

    /// What every button of the page carries.
    func token() async throws -> String {
        let pieces = try await get("/thunderid?tab=faults").text.components(separatedBy: #"name="token" value=""#)
        return String(try #require(pieces.dropFirst().first).prefix { $0 != "\"" })
    }

    private func send(
        _ method: String, _ path: String, form: [(String, String)]?, _ headers: [String: String]
    ) async throws -> Page {
        let url = try #require(URL(string: dashboard.url.absoluteString + path))
        let request = try URLRequest(method, url, headers: headers, form: form)
        let (data, head) = try await DefaultTransport.make().data(for: request)
        return Page(status: head.statusCode, text: String(decoding: data, as: UTF8.self), head: head)
    }
}
