import Foundation
import IdentityKit
import TestSupport
import Testing

/// A folder for what `identity serve` reads and writes, and for a tool of its own.
final class ServeFixture: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        return path(name)
    }

    /// What is in a file.
    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
    }

    var environment: [String: String] {
        NoBrowser.variables.merging(["IDENTITY_CONFIG": path("identity.json"), "XDG_STATE_HOME": path("state")]) { $1 }
    }

    /// Runs a command to its end, with the configuration that `serve` has written.
    func run(_ arguments: String..., input: String? = nil) async throws -> ToolProcess.Result {
        try await Tool.run(arguments, environment: environment, input: input)
    }

    /// Runs `identity serve` in this process until `body` is done.
    /// - Parameter body: is given what `serve` has announced.
    @discardableResult
    func serve(
        _ arguments: String..., input: String? = nil, environment: [String: String] = [:],
        _ body: (JSONValue) async throws -> Void
    ) async throws -> ToolProcess.Result {
        let call = try Tool.Call(
            ["serve", "--json", "--configuration", path("identity.json")] + arguments + portsToKeep(arguments),
            environment: self.environment.merging(environment) { $1 }, input: input)
        await call.waits(for: "Press Ctrl-C")
        do {
            try await body(try JSONValue(parsing: Data(call.outputSoFar.utf8)))
        } catch {
            call.cancel()
            let result = await call.finish()
            Issue.record("\(result.errors)")
            throw error
        }
        call.cancel()
        let result = await call.finish()
        #expect(result.status == 0, "\(result.errors)")
        return result
    }

    /// Ports for a folder that is new. The servers that are kept in it take the same ports at their next start.
    private func portsToKeep(_ arguments: [String]) -> [String] {
        guard let option = arguments.firstIndex(of: "--data"), arguments.indices.contains(option + 1),
            !FileManager.default.fileExists(atPath: arguments[option + 1])
        else { return [] }
        return ["thunderid", "insforge", "oidc", "dashboard"].flatMap { ["--\($0)-port", String(FreePort.find())] }
    }
}
