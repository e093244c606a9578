import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// A local ThunderID server as it is delivered (rotation, family revocation, no grace), a store, and processes that
/// share it.
struct ProcessFixture: Sendable {
    let server: LocalThunderIDServer
    let temporary: TemporaryFolder
    let configuration: StoreConfiguration

    init(grace: Duration = .zero, in place: StorePlace = .files) async throws {
        try await self.init(server: try await Self.strictServer(grace: grace)) {
            try await place.configuration(in: $0)
        }
    }

    /// - Parameters:
    ///   - server: the server.
    ///   - place: the store, with what it needs in a folder.
    init(
        server: LocalThunderIDServer, place: (TemporaryFolder) async throws -> StoreConfiguration
    ) async throws {
        self.server = server
        temporary = try TemporaryFolder()
        configuration = try await place(temporary)
    }

    /// A server as it is delivered.
    static func strictServer(grace: Duration = .zero) async throws -> LocalThunderIDServer {
        try await LocalThunderIDServer.start(
            configuration: LocalThunderIDServer.Configuration {
                $0.rotationGrace = grace
                // Ten hours, so that minutes on a busy machine decide nothing.
                $0.accessTokenLifetime = .seconds(36_000)
            })
    }

    /// A fixture whose account has a session.
    static func signedIn(grace: Duration = .zero, in place: StorePlace = .files) async throws -> ProcessFixture {
        let fixture = try await ProcessFixture(grace: grace, in: place)
        let outcome = try await fixture.run("sign-in")
        #expect(outcome.lines == ["signed in"])
        return fixture
    }

    var account: AccountID { AccountID(account: server.user.id, realm: "work") }

    /// The same store, opened by the process of the tests.
    func openStore() throws -> any TokenStore {
        try StorePlace.registry.open(configuration)
    }

    /// The session, as the process of the tests sees it. It never refreshes anything.
    func sessions(shift: TimeInterval = 0) throws -> ProviderSessions {
        // Whoever waits by this clock waits no time at all.
        let time = TimeSource(now: { Date() + shift }, sleep: { _ in await Task.yield() })
        return ProviderSessions(
            realm: "work", origin: .anyone(at: server.url.absoluteString), store: try openStore(), time: time
        ) { _ in throw CancellationError() }
    }

    /// The code of the failure that asking for a token here ends with.
    func failureCode(_ sessions: ProviderSessions) async -> String? {
        do {
            _ = try await sessions.accessToken(for: account, scopes: [])
            return nil
        } catch {
            return (error as? any IdentityFailure)?.failureCode ?? "\(error)"
        }
    }

    /// Starts a process.
    /// - Parameters:
    ///   - shift: how many seconds its clock is ahead; 36,000 makes the first access token expire, 33,500 lets it be
    ///     refreshed early.
    ///   - pace: how much shorter its pauses are, and its deadlines with them.
    ///   - leap: a file; as soon as it is there, time has gone on by 100 seconds.
    ///   - machine: the network namespace in which it runs.
    func start(
        _ action: String, shift: Int = 0, tasks: Int = 1, rounds: Int = 1, umask: String = "022",
        largestFile: Int? = nil, fault: String? = nil, pace: Int = 1, leap: URL? = nil,
        variables: [String: String] = [:], machine: String? = nil
    ) throws -> ProbeProcess {
        try ProbeProcess(
            [
                "do=\(action)", "configuration=\(try configuration.json)", "server=\(server.url.absoluteString)",
                "client=\(server.application.clientID)", "redirect=\(server.application.redirectURIs.first ?? "")",
                "username=\(server.user.username)", "password=\(server.user.password.reveal())",
                "user=\(server.user.id)", "shift=\(shift)", "tasks=\(tasks)", "rounds=\(rounds)", "umask=\(umask)",
                "pace=\(pace)",
            ] + (largestFile.map { ["largestFile=\($0)"] } ?? []) + (leap.map { ["leap=\($0.path)"] } ?? []),
            fault: fault, variables: variables, machine: machine)
    }

    /// How long a process takes from its question to its end when nothing interrupts it, on this machine as it is now.
    /// It refreshes the session, which has to be begun anew afterwards.
    func durationOfRefresh() async throws -> Duration {
        let process = try start("token", shift: 36_000)
        await process.waitFor("asking")
        let duration = await ContinuousClock().measure { _ = await process.end() }
        #expect(try await run("sign-in").lines == ["signed in"])
        return duration
    }

    /// Starts a process that refreshes, and sends it `signal` at a random moment between its question and its end.
    func interruptRefresh(by signal: Int32, within duration: Duration) async throws {
        let process = try start("token", shift: 36_000)
        await process.waitFor("asking")
        try await Task.sleep(for: duration * Double.random(in: 0...1))
        process.signal(signal)
        _ = await process.end()
    }

    /// Runs a process to its end.
    func run(
        _ action: String, shift: Int = 0, tasks: Int = 1, rounds: Int = 1, umask: String = "022",
        largestFile: Int? = nil, fault: String? = nil, pace: Int = 1
    ) async throws -> ProbeProcess.Outcome {
        try await start(
            action, shift: shift, tasks: tasks, rounds: rounds, umask: umask, largestFile: largestFile, fault: fault,
            pace: pace
        )
        .end()
    }
}

/// How often and how widely the process tests run: little by default, as the specification says with
/// `SWIFT_IDENTITY_FULL_TESTS=1`.
enum Extent {
    static let isFull = ProcessInfo.processInfo.environment["SWIFT_IDENTITY_FULL_TESTS"] == "1"

    static func rounds(_ few: Int, full: Int) -> Int { isFull ? full : few }
}
