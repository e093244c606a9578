import Foundation
import IdentityKit
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server that plays scenarios, as its script describes it: MCP servers with what belongs to them, and the checks that the
/// conformance suite makes of a client. `.ci/foreign-servers/run` starts it.
struct ScenarioServer: Decodable {
    struct Scenario: Decodable {
        let name: String
        /// The versions of the protocol that it is played in.
        let versions: [String]
        /// Whether the client is meant to give up.
        let mayFail: Bool
    }

    struct Playing: Decodable {
        /// The MCP server's address.
        let address: URL
        /// Further information for the client.
        let context: [String: String]
        let report: URL
    }

    struct Check: Decodable, CustomStringConvertible {
        let id: String
        let status: String
        let description: String
    }

    private struct Report: Decodable { let checks: [Check] }

    private let address: URL

    private static var path: String? { ProcessInfo.processInfo.environment["IDENTITY_FOREIGN_SCENARIOS"] }
    static var isRunning: Bool { path != nil }

    static func read() throws -> ScenarioServer {
        try JSONDecoder().decode(
            ScenarioServer.self, from: Data(contentsOf: URL(fileURLWithPath: try #require(path))))
    }

    func scenarios() async throws -> [Scenario] {
        try await send("GET", address.appendingPathComponent("scenarios"))
    }

    func play(_ scenario: String, version: String) async throws -> Playing {
        try await send(
            "POST", address.appendingPathComponent("playings"), ["scenario": scenario, "version": version])
    }

    /// Ends a playing.
    /// - Returns: what was checked, without what is only noted.
    func checks(endOf playing: Playing) async throws -> [Check] {
        let report: Report = try await send("POST", playing.report.appendingPathComponent("end"))
        return report.checks.filter { $0.status != "INFO" }
    }

    private func send<Answer: Decodable>(
        _ method: String, _ url: URL, _ body: [String: String] = [:]
    ) async throws -> Answer {
        var request = URLRequest(url: url)
        request.httpMethod = method
        if method == "POST" { request.httpBody = try JSONEncoder().encode(body) }
        return try JSONDecoder().decode(Answer.self, from: await DefaultTransport.make().data(for: request).0)
    }
}
