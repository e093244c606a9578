#if os(Linux)
import TestSupport
import Testing
import TransportChecks

/// Whatever a server sends is a result or a typed error, which says rightly whether the request was sent.
@Suite(.endsInTime) struct HostileServerTests {
    @Test("libcurl", arguments: HostileRow.all)
    func curl(row: HostileRow) async throws { try await row.runOnCurl() }

    @Test("The default transport, whatever follows the body", arguments: HostileRow.chunks)
    func byDefault(row: HostileRow) async throws { try await row.runByDefault() }

    @Test("URLSession", arguments: HostileRow.all)
    func urlSession(row: HostileRow) async throws { try await row.runOnURLSession() }
}
#endif
