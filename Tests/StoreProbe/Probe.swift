import Foundation
import IdentityKit
import IdentityPostgres
import IdentityTesting
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends one request with a secret, as every client of the library does.
func fetch(_ address: String, bearing secret: String) async throws {
    guard let url = URL(string: address) else { throw ProbeError(message: "server= is no address") }
    var request = URLRequest(url: url)
    request.setValue("Bearer " + secret, forHTTPHeaderField: "Authorization")
    let (_, head) = try await DefaultTransport.make().data(for: request)
    say("answered \(head.statusCode)")
}

/// Writes a line at once: the process may not live to flush a buffer.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// What a probe is told to do.
struct Arguments {
    let values: [String: String]

    init(_ arguments: some Sequence<String>) throws {
        values = Dictionary(
            arguments.map { argument in
                let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts.count == 2 ? parts[1] : "")
            }, uniquingKeysWith: { _, last in last })
    }

    func text(_ name: String) throws -> String {
        guard let value = values[name] else { throw ProbeError(message: "\(name)= is missing") }
        return value
    }

    /// The store that `configuration=` describes, or the one in the folder `store=`, or one in memory without both.
    func store(time: TimeSource = .system) throws -> any TokenStore {
        if let configuration = values["configuration"] {
            let described = try JSONDecoder().decode(StoreConfiguration.self, from: Data(configuration.utf8))
            return try StoreRegistry([PostgresStorePlugin.self]).open(described, in: StoreContext(time: time))
        }
        guard let folder = values["store"] else { return MemoryTokenStore() }
        return try StoreConfiguration.file(folder: folder, key: .keyFile()).open(time: time)
    }

    func number(_ name: String, _ fallback: Int) -> Int {
        values[name].flatMap(Int.init) ?? fallback
    }
}

struct ProbeError: IdentityFailure {
    var failureCode: String { "probe_misused" }
    var failureClass: FailureClass { .definitive }
    let message: String
}

struct Probe {
    let arguments: Arguments
    let provider: ThunderIDProvider
    let environment: IdentityEnvironment
    let account: AccountID
    let monitor = RefreshMonitor()
    let store: any TokenStore
    private let time: TimeSource

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        if let mask = arguments.values["umask"].flatMap({ UInt32($0, radix: 8) }) { umask(mode_t(mask)) }
        if let limit = arguments.values["largestFile"].flatMap({ UInt($0) }) { Self.limitFiles(to: limit) }
        // Every process sees the time shifted by as much, so that a token expires without anybody waiting.
        let shift = TimeInterval(arguments.number("shift", 0))
        // Retries may be made to follow each other faster than they would.
        let pace = max(1, arguments.number("pace", 1))
        time =
            if let leap = arguments.values["leap"] {
                Self.leaping(by: .seconds(100), onceThereIs: leap, ahead: shift)
            } else if pace == 1 {
                .system(ahead: shift)
            } else {
                TimeSource(now: { Date() + shift }, sleep: { try await Task.sleep(for: $0 / pace) })
            }
        store = try arguments.store(time: time)
        environment = IdentityEnvironment(
            store: store,
            prompter: ScriptedPrompter([
                "username": Secret(try arguments.text("username")), "password": Secret(try arguments.text("password")),
            ]),
            refreshMonitor: monitor, time: time)
        let settings = ThunderIDSettings(
            baseURL: try ServerURL(arguments.text("server"), allowsLoopbackHTTP: true),
            clientID: try arguments.text("client"), redirectURI: URL(string: try arguments.text("redirect")),
            allowsLoopbackHTTP: true)
        provider = try ThunderIDProvider(
            settings: settings, context: ProviderContext(name: "work", environment: environment))
        account = AccountID(account: try arguments.text("user"), realm: "work")
    }

    /// The system's time, which leaps as soon as there is a file: as for a process that was stopped for so long.
    private static func leaping(
        by leap: Duration, onceThereIs file: String, ahead shift: TimeInterval
    ) -> TimeSource {
        let uptime: @Sendable () -> Duration = {
            .nanoseconds(Int64(truncatingIfNeeded: ContinuousTime.now)) + (access(file, F_OK) == 0 ? leap : .zero)
        }
        return TimeSource(
            now: { Date() + shift + (access(file, F_OK) == 0 ? leap.timeInterval : 0) }, uptime: uptime,
            sleep: { pause in
                let end = uptime() + pause
                while uptime() < end { try await Task.sleep(for: min(end - uptime(), .milliseconds(5))) }
            })
    }

    /// Lets no file grow beyond `size` bytes, as on a disk that is almost full.
    private static func limitFiles(to size: UInt) {
        signal(SIGXFSZ, SIG_IGN)
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
        let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = rlim_t(size)
        setrlimit(resource, &limit)
    }

    func run() async throws {
        let signals = TerminationSignals(waitingFor: environment)
        defer { withExtendedLifetime(signals) {} }
        switch try arguments.text("do") {
        case "sign-in":
            _ = try await provider.signIn(scopes: [], deviceToken: "d")
            say("signed in")
        case "sign-out":
            try await provider.signOut(account)
            say("signed out")
        case "token":
            say("asking")
            await askForTokens(arguments.number("tasks", 1)) {
                try await provider.accessToken(for: account, scopes: [])
            }
            await storeWhatIsNotStored()
        case "client-token":
            let client = try await client()
            say("asking")
            await askForTokens(arguments.number("tasks", 1)) { try await client.getAccessToken() }
        case "client-sign-out":
            _ = try await client().signOut()
            say("signed out")
        case "write":
            try await write(arguments.number("rounds", 1))
        default:
            throw ProbeError(
                message: "do=sign-in, sign-out, token, client-token, client-sign-out, write, fetch or listen")
        }
    }

    /// A client for the same server and client, whose session is the provider's.
    private func client() async throws -> ThunderIDClient {
        let client = ThunderIDClient(environment: environment)
        try await client.initialize(
            config: ThunderIDConfig(
                baseUrl: arguments.text("server"), clientId: arguments.text("client"),
                afterSignInUrl: arguments.text("redirect"), allowsLoopbackHTTP: true, providerName: account.realm))
        return client
    }

    private func askForTokens(_ count: Int, _ token: @escaping @Sendable () async throws -> String) async {
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do {
                        let token = try await token()
                        return "token \(sha256(Data(token.utf8)).hexEncoded)"
                    } catch {
                        return "failed \((error as? any IdentityFailure)?.failureCode ?? "\(error)")"
                    }
                }
            }
            for await line in group { say(line) }
        }
    }

    /// Ends as every program should: what is not stored would be lost with the process.
    private func storeWhatIsNotStored() async {
        guard !monitor.notStored.isEmpty else { return }
        await monitor.close(within: .seconds(10), time: time)
        for account in monitor.notStored { say("failed session_not_stored \(account)") }
    }

    /// Rewrites one record as fast as it goes, each content a repetition of its own byte.
    private func write(_ rounds: Int) async throws {
        let key = StoreKey(.device, "scratch")
        for round in 0..<rounds {
            let generation = try await store.record(for: key)?.generation ?? 0
            let content = Data(repeating: UInt8(truncatingIfNeeded: round), count: 2048)
            _ = try? await store.write(content, for: key, replacing: generation)
        }
        say("written")
    }
}
