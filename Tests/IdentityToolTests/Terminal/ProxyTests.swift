import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// The tool where the environment names a proxy: nothing that is meant for this machine reaches it, and the tool says what
/// to set. On Apple's systems nothing reads these variables.
#if canImport(FoundationNetworking)
@Suite(.endsInTime) struct ProxyTests {
    /// Runs `test` with a tool whose environment names a proxy that notes what reaches it.
    private func withProxy(
        _ variable: String, _ test: (ToolFixture, [String: String]) async throws -> Void
    ) async throws {
        try await withTool { fixture in
            let proxy = try await LocalHTTPServer.start { _ in .text("by proxy") }
            let names = ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY"]
            var environment = fixture.environment
            for name in names { environment[name] = name == variable ? proxy.url.absoluteString : "" }
            try await test(fixture, environment)
            #expect(proxy.log == [])
            await proxy.stop()
        }
    }

    private func run(
        _ arguments: String..., environment: [String: String], input: String? = nil
    ) async throws -> ToolProcess.Result {
        try await ToolProcess.Run(arguments, environment: environment, input: input).finish()
    }

    @Test("No password, no token and no look leaves this machine", arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
    func commands(variable: String) async throws {
        try await withProxy(variable) { fixture, environment in
            let login = try await run(
                "login", "--provider", "home", "--username", fixture.insForge.user.email, "--password-stdin",
                environment: environment, input: fixture.insForge.user.password + "\n")
            #expect(login.status == 1 && login.errors.contains("no_proxy=localhost,127.0.0.1,::1"), "\(login.errors)")
            #expect(fixture.insForge.http.log.isEmpty)

            #expect(try await fixture.signIn().status == 0)
            let request = try await run(
                "request", fixture.insForge.url.absoluteString + "/api/auth/sessions/current", environment: environment)
            #expect(request.status == 1 && request.errors.contains("no_proxy="), "\(request.errors)")
            let doctor = try await run("doctor", environment: environment)
            #expect(doctor.output.contains("no_proxy="), "\(doctor.output)")

            guard variable == "http_proxy" else { return }
            var excepting = environment
            excepting["no_proxy"] = "localhost,127.0.0.1,::1"
            let passing = try await run(
                "request", fixture.insForge.url.absoluteString + "/api/auth/sessions/current", environment: excepting)
            #expect(passing.status == 0, "\(passing.errors)")
        }
    }
}
#endif
