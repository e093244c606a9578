import Foundation
import IdentityKit
import IdentityTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How Acme's refresh ends when the program is told to end.
@Suite struct AcmeRefreshTests {
    /// Asks in the middle of each refresh whether a program that ends would wait for it.
    private struct EndingTransport: HTTPTransport {
        let backend = AcmeBackend()
        let refreshes = RefreshMonitor()
        let waits = Locked<[Bool]>([])

        func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            if String(decoding: request.httpBody ?? Data(), as: UTF8.self).contains("refreshToken") {
                let isIdle = await refreshes.close(within: .zero)
                waits.withLock { $0.append(!isIdle) }
            }
            return try await backend.data(for: request)
        }
    }

    @Test("A program that is told to end waits for Acme's refresh")
    func ending() async throws {
        let (transport, clock) = (EndingTransport(), ManualClock())
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), transport: transport,
            prompter: ScriptedPrompter(["username": "ada", "password": Secret(AcmeBackend.password)]),
            refreshMonitor: transport.refreshes, time: clock.dates)
        let settings = try JSONDecoder().decode(
            AcmePlugin.Settings.self, from: Data(#"{"baseURL": "https://acme.example"}"#.utf8))
        let provider = try AcmePlugin.makeProvider(
            settings: settings, context: ProviderContext(name: "acme", environment: environment))
        let account = try #require(await provider.activeAccount(scopes: [], deviceToken: "device"))
        clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: account, scopes: [])
        #expect(transport.waits.withLock { $0 } == [true])
    }
}
