import Foundation
import IdentityKit

/// Measures the memory of a client and of a cached session, as the growth of this process's resident memory. Prints
/// both numbers in bytes.
struct MemoryUse {
    let count: Int

    func print() async throws {
        let store = MemoryTokenStore()
        let sessions = BenchmarkSessions.make(over: store)
        let accounts = (0..<count).map(FilledStore.account)
        let warm = try await clients(100)
        let start = Self.resident
        let clients = try await clients(count)
        let withClients = Self.resident
        // Write all records first, so that the later growth is only that of the cached sessions.
        try await sessions.begin(.sample(), for: accounts[0])
        guard let content = try await store.record(for: .account(accounts[0]))?.content else { return }
        for account in accounts.dropFirst() {
            // Copy the bytes, so that each record owns its content, as a record that is read from a file does.
            let copy = Data(Array(content))
            try await store.write(copy, for: .account(account), replacing: 0)
        }
        let withRecords = Self.resident
        for account in accounts { _ = try await sessions.accessToken(for: account, scopes: []) }
        let withSessions = Self.resident
        Swift.print((withClients - start) / count, (withSessions - withRecords) / count)
        withExtendedLifetime((warm, clients, sessions)) {}
    }

    /// Creates clients that share one provider, and gets a token from each.
    private func clients(_ count: Int) async throws -> [IdentityClient] {
        let store = MemoryTokenStore()
        let provider = BenchmarkProvider(BenchmarkSessions.make(over: store))
        try await provider.sessions.begin(.sample(), for: FilledStore.account(0))
        var clients: [IdentityClient] = []
        clients.reserveCapacity(count)
        for _ in 0..<count {
            let client = IdentityClient(provider: provider, environment: IdentityEnvironment(store: store))
            _ = try await client.accessToken()
            clients.append(client)
        }
        return clients
    }

    /// The resident memory in bytes; 0 if the system does not report it.
    static var resident: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
