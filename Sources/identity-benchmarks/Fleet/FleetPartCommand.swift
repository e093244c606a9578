import ArgumentParser
import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityPostgres
import IdentityTesting

/// `identity-benchmarks fleet-part`: a process that `.ci/fleet` starts, either the server or a member of the fleet.
///
/// The process prints a line when it is ready, and another one after each line of its input. An input line is the
/// number of seconds by which the clock of the process is ahead. As an exception, the first input line of the server is
/// the path of a configuration.
struct FleetPartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "fleet-part", shouldDisplay: false)

    enum Part: String, ExpressibleByArgument {
        /// An OpenID Connect server that accepts each refresh token once. The server prints its port, reads the path of a
        /// configuration from the first input line, and signs a person in with it. Each later output line has the number of
        /// refreshes so far, and the number of requests with a refresh token or code that was used before.
        case server
        /// A process with `tasks` tasks that each ask for a token. After a transient failure, a task asks again, until
        /// `patience` seconds have passed. The process prints the number of distinct results, the results, and the number
        /// of failures for each error code.
        case member
    }

    @Argument var part: Part
    @Option(help: "The configuration.") var configuration = ""
    @Option var tasks = 8
    @Option(help: "How many milliseconds the server takes for a response.") var latency = 0
    @Option(help: "How many seconds a task goes on asking.") var patience = 120

    func run() async throws {
        let ahead = Locked<TimeInterval>(0)
        let time = TimeSource(
            now: { Date() + ahead.withLock { $0 } },
            uptime: { .nanoseconds(Int64(truncatingIfNeeded: ContinuousTime.now)) },
            sleep: { try await Task.sleep(for: $0) })
        switch part {
        case .server: try await serve(ahead, time)
        case .member: try await ask(ahead, time)
        }
    }

    private func serve(_ ahead: Locked<TimeInterval>, _ time: TimeSource) async throws {
        let server = try await LocalOpenIDConnectServer.start(time: time)
        say("\(server.url.port ?? 0)")
        let login = ScriptedLogin(username: server.user.username, password: server.user.password)
        _ = try await client(of: readLine() ?? "", time, person: { try await login.signIn(at: $0) }).signIn()
        server.http.standingFaults = StandingFaults(delay: .milliseconds(latency))
        repeat {
            say("\(server.counters.refreshes) \(server.counters.replays)")
        } while readSeconds(into: ahead)
        await server.stop()
    }

    private func ask(_ ahead: Locked<TimeInterval>, _ time: TimeSource) async throws {
        let client = try client(of: configuration, time)
        let running = Task { await client.run() }
        say("ready")
        while readSeconds(into: ahead) {
            let failures = Locked<[String: Int]>([:])
            let tokens = await withTaskGroup(of: String.self) { group in
                for _ in 0..<tasks { group.addTask { await token(of: client, failures) } }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
            let told = failures.withLock { $0 }.map { "\($0.key)=\($0.value)" }.sorted()
            say((["\(tokens.count)", tokens.sorted().joined(separator: "|")] + told).joined(separator: " "))
        }
        running.cancel()
    }

    /// Returns the last 24 characters of the token. After a failure that is not transient, or when `patience` is over,
    /// returns `lost:` and the error code.
    private func token(of client: IdentityClient, _ failures: Locked<[String: Int]>) async -> String {
        let end = ContinuousClock.now + .seconds(patience)
        while true {
            do {
                return String(try await client.accessToken().suffix(24))
            } catch {
                let code = (error as? any IdentityFailure)?.failureCode ?? "\(type(of: error))"
                failures.withLock { $0[code, default: 0] += 1 }
                guard (error as? any IdentityFailure)?.failureClass == .transient, .now < end else {
                    return "lost:\(code)"
                }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private func client(
        of file: String, _ time: TimeSource, person: (@Sendable (URL) async throws -> URL)? = nil
    ) throws -> IdentityClient {
        let configuration = try IdentityConfiguration(contentsOf: URL(fileURLWithPath: file), variables: [:])
        let stores = StoreRegistry([PostgresStorePlugin.self])
        return try IdentityClient(
            configuration: configuration, registry: ProviderRegistry([OpenIDConnectPlugin.self]),
            environment: IdentityEnvironment(
                store: stores.open(configuration.store, in: StoreContext(time: time)),
                webAuthenticator: person.map { ScriptedBrowser($0) },
                time: time))
    }

    /// Reads the next input line, and sets `ahead` if the line is a number of seconds.
    /// - Returns: `false` at the end of the input.
    private func readSeconds(into ahead: Locked<TimeInterval>) -> Bool {
        guard let line = readLine() else { return false }
        if let seconds = TimeInterval(line) { ahead.withLock { $0 = seconds } }
        return true
    }

    /// Prints a line without buffering.
    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
