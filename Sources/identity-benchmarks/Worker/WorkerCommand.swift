import ArgumentParser
import Foundation
import IdentityKit
import IdentityLocalServers

/// `identity-benchmarks worker`: a process that ``WorkerProcesses`` starts. The process does its work once for each
/// byte of its input. When it is ready, and each time the work is done, it prints the processor time used so far, in
/// seconds. If the work fails, it prints the error instead.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

    enum Work: String, ExpressibleByArgument {
        /// Lets `tasks` tasks get the account's access token. A refresh goes to `server`.
        case token
        /// Listens to the events of a client, like an app without anything to do.
        case idle
        /// Writes ten records per second, of accounts other than the first, until the input ends.
        case write
        /// Signs the account out, or in if nobody is signed in.
        case `switch`
        /// Prints the memory of a client and of a cached session in bytes, and ends without reading input.
        case memory
    }

    @Argument var work: Work
    @Option var store: String = ""
    @Option var server: String = ""
    @Option var tasks = 1
    @Option var count = 1000

    func run() async throws {
        switch work {
        case .token: try await token()
        case .idle: try await idle()
        case .write: try await write()
        case .switch: try await switching()
        case .memory: try await MemoryUse(count: count).print()
        }
    }

    private func token() async throws {
        let sessions = BenchmarkSessions.make(over: try open(), exchange: RefreshServer.exchange(at: server))
        let account = FilledStore.account(0)
        try await eachTurn {
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<tasks { group.addTask { try await sessions.accessToken(for: account, scopes: []) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            guard tokens.count == 1, tokens.first?.hasPrefix("refreshed") == true else {
                throw Skipped(description: "an old token")
            }
        }
    }

    private func idle() async throws {
        let client = try IdentityClient.benchmark(over: try open())
        let events = client.events()
        let listening = Task { for await _ in events {} }
        _ = try await client.accessToken()
        try await eachTurn {}
        listening.cancel()
        withExtendedLifetime(client) {}
    }

    private func write() async throws {
        let store = try open()
        let written = Locked(0)
        let writing = Task {
            while !Task.isCancelled {
                let key = StoreKey.account(FilledStore.account(1 + written.withLock { $0 }))
                if let record = try await store.record(for: key) {
                    try await store.write(record.content, for: key, replacing: record.generation)
                }
                written.withLock { $0 = ($0 + 1) % max(1, count - 1) }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        try await eachTurn {}
        writing.cancel()
    }

    private func switching() async throws {
        let sessions = BenchmarkSessions.make(over: try open())
        let account = FilledStore.account(0)
        try await eachTurn {
            guard try await sessions.end(account) == nil else { return }
            try await sessions.begin(.sample(), for: account)
        }
    }

    private func open() throws -> any TokenStore {
        try FilledStore.configuration(of: URL(fileURLWithPath: store)).open()
    }

    private func eachTurn(_ body: () async throws -> Void) async throws {
        say("\(Cost.own)")
        while let byte = try FileHandle.standardInput.read(upToCount: 1), !byte.isEmpty {
            do {
                try await body()
                say("\(Cost.own)")
            } catch {
                say("\(error)".replacing("\n", with: " "))
            }
        }
    }

    /// Prints a line without buffering.
    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// A token endpoint that all processes use. The response is a new token, such as `refreshed-1`.
struct RefreshServer {
    let http: LocalHTTPServer
    private let counter: Locked<Int>

    static func start(latency: Duration) async throws -> RefreshServer {
        let counter = Locked(0)
        let http = try await LocalHTTPServer.start { _ in
            try? await Task.sleep(for: latency)
            let number = counter.withLock { counter in
                counter += 1
                return counter
            }
            return .text("refreshed-\(number)")
        }
        return RefreshServer(http: http, counter: counter)
    }

    private init(http: LocalHTTPServer, counter: Locked<Int>) {
        (self.http, self.counter) = (http, counter)
    }

    var requests: Int { counter.withLock { $0 } }

    /// Returns a refresh that sends a request to the server at `address`, and takes the response as the new access
    /// token.
    static func exchange(at address: String) -> SessionBackend.Exchange {
        let transport = DefaultTransport.make()
        return { credential in
            guard let url = URL(string: address) else { throw Skipped(description: "no server") }
            let (token, _) = try await transport.data(for: URLRequest(url: url))
            return .refreshed(credential.refreshed(as: Secret(String(decoding: token, as: UTF8.self))))
        }
    }
}
