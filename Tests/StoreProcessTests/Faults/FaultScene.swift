#if os(Linux)
import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A program that works on a session, and what it does to it.
struct FaultSubject: Sendable, CustomStringConvertible {
    /// The program.
    enum Program: String, Sendable, CaseIterable {
        /// The library in a process that does nothing else and ends as soon as it has its answer.
        case probe = "store-probe"
        /// The command-line tool.
        case tool = "identity"
    }

    enum Phase: String, Sendable, CaseIterable {
        case signIn = "sign-in"
        /// While somebody is signed in.
        case signInAgain = "second sign-in"
        case refresh
        case signOut = "sign-out"
    }

    let program: Program
    let phase: Phase

    var description: String { "\(program.rawValue), \(phase.rawValue)" }

    static let all = Program.allCases.flatMap { program in Phase.allCases.map { Self(program: program, phase: $0) } }
}

/// One store in a folder of its own, a program that works on it, and this process, which looks at what is left.
struct FaultScene: Sendable {
    let server: LocalThunderIDServer
    let temporary: TemporaryFolder

    init(at server: LocalThunderIDServer) throws {
        self.server = server
        temporary = try TemporaryFolder()
        let configuration = IdentityConfiguration(
            store: store,
            providers: [
                ProviderConfiguration(
                    name: "work", type: "thunderid",
                    settings: [
                        "baseURL": .string(server.url.absoluteString), "allowsLoopbackHTTP": true,
                        "clientID": .string(server.application.clientID), "redirectURI": .string(redirectURI),
                    ])
            ])
        try FileManager.default.createDirectory(
            at: temporary.file("config/identity"), withIntermediateDirectories: true)
        try JSONEncoder().encode(configuration).write(to: temporary.file("config/identity/identity.json"))
        try Data((server.user.password.reveal() + "\n").utf8).write(to: temporary.file("password"))
    }

    private var redirectURI: String { server.application.redirectURIs.first ?? "" }
    private var state: URL { temporary.file("state") }
    private var storePath: String { state.appendingPathComponent("identity").path }
    private var store: StoreConfiguration { .file(folder: storePath, key: .keyFile()) }
    private var account: AccountID { AccountID(account: server.user.id, realm: "work") }

    // MARK: The program

    /// Makes the store what `phase` begins with.
    func prepare(for phase: FaultSubject.Phase) async throws {
        guard phase != .signIn else { return }
        let provider = try openProvider()
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        if phase == .refresh { try await expireToken(provider.sessions) }
    }

    /// Runs a program to its end.
    /// - Parameter openFiles: how many files it may have open.
    func run(
        _ subject: FaultSubject, disturbed disturbance: Disturbance? = nil, openFiles: Int? = nil
    ) async throws -> FaultedProcess.Outcome {
        let log = temporary.file("calls-\(UUID().uuidString)")
        var environment = [
            "XDG_CONFIG_HOME": temporary.file("config").path, "XDG_STATE_HOME": state.path,
            "XDG_CACHE_HOME": temporary.file("cache").path, "NO_COLOR": "1",
        ].merging(NoBrowser.variables) { $1 }
        if openFiles == nil {
            environment["LD_PRELOAD"] = try SystemCallLibrary.url.path
            environment["SYSTEM_CALLS_FOLDER"] = state.path
            environment["SYSTEM_CALLS_LOG"] = log.path
            environment.merge(disturbance?.environment ?? [:]) { _, new in new }
        }
        let process = FaultedProcess(
            program: BuiltProgram.url(subject.program.rawValue), arguments: arguments(of: subject),
            environment: environment, openFiles: openFiles, input: temporary.file("password"), folder: temporary.url)
        var outcome = try await process.run()
        if openFiles == nil { outcome.calls = try SystemCall.all(inLog: log, below: state) }
        return outcome
    }

    private func arguments(of subject: FaultSubject) -> [String] {
        switch (subject.program, subject.phase) {
        case (.tool, .signIn), (.tool, .signInAgain):
            ["login", "--provider", "work", "--username", server.user.username, "--password-stdin"]
        case (.tool, .refresh): ["token"]
        case (.tool, .signOut): ["logout"]
        case (.probe, let phase):
            [
                "do=\(Self.probeAction(phase))", "store=\(storePath)",
                "server=\(server.url.absoluteString)", "client=\(server.application.clientID)",
                "redirect=\(redirectURI)", "username=\(server.user.username)",
                "password=\(server.user.password.reveal())", "user=\(server.user.id)",
            ]
        }
    }

    private static func probeAction(_ phase: FaultSubject.Phase) -> String {
        switch phase {
        case .signIn, .signInAgain: "sign-in"
        case .refresh: "token"
        case .signOut: "sign-out"
        }
    }

    // MARK: What is left

    /// What another process finds in the store.
    enum Condition: Equatable, CustomStringConvertible {
        /// A session whose access token the server takes, and which can be refreshed.
        /// - Parameter digest: SHA-256 of the access token that was there first, as the probe prints it.
        case alive(digest: String)
        case signedOut
        /// A session of no use.
        case lost(String)

        var isAlive: Bool { if case .alive = self { true } else { false } }

        var isLost: Bool { if case .lost = self { true } else { false } }

        var description: String {
            switch self {
            case .alive: "the session is alive"
            case .signedOut: "nobody is signed in"
            case .lost(let reason): "the session is lost: \(reason)"
            }
        }
    }

    /// The files that never came to their place. Whoever opens the store next removes them.
    func drafts() throws -> [String] {
        // A program that was killed at its first call has made no folder.
        guard FileManager.default.fileExists(atPath: state.path) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: state.path).filter { $0.hasSuffix(".draft") }
    }

    /// Looks at the session with a store that is opened for that, and uses it: at a resource server, for a refresh, and
    /// at the resource server again.
    func condition() async throws -> Condition {
        do {
            let provider = try openProvider()
            let first = try await provider.accessToken(for: account, scopes: [])
            guard try await isAccepted(first) else { return .lost("its access token is refused") }
            try await expireToken(provider.sessions)
            let second = try await provider.accessToken(for: account, scopes: [])
            guard second != first else { return .lost("it is not refreshed") }
            guard try await isAccepted(second) else { return .lost("its refreshed access token is refused") }
            return .alive(digest: sha256(Data(first.utf8)).hexEncoded)
        } catch SessionError.notSignedIn {
            return .signedOut
        } catch let error as any IdentityFailure {
            return .lost(error.failureCode)
        }
    }

    /// Signs in as a person does who was told to.
    func signInAgain() async throws {
        _ = try await openProvider().signIn(scopes: [], deviceToken: "d")
    }

    func signOut() async throws {
        try await openProvider().signOut(account)
    }

    private func openProvider() throws -> ThunderIDProvider {
        let environment = IdentityEnvironment(
            store: try store.open(),
            prompter: ScriptedPrompter([
                "username": Secret(server.user.username), "password": server.user.password,
            ]))
        let settings = ThunderIDSettings(
            baseURL: try ServerURL(server.url.absoluteString, allowsLoopbackHTTP: true),
            clientID: server.application.clientID, redirectURI: URL(string: redirectURI), allowsLoopbackHTTP: true)
        return try ThunderIDProvider(
            settings: settings, context: ProviderContext(name: "work", environment: environment))
    }

    /// Makes the stored access token one that has expired, whatever the server thinks of it.
    private func expireToken(_ sessions: ProviderSessions) async throws {
        guard var credential = try await sessions.storedCredential(of: account) else { return }
        credential.expiresAt = Date() - 1
        try await sessions.begin(credential, for: account)
    }

    private func isAccepted(_ token: String) async throws -> Bool {
        var request = URLRequest(url: server.url.appendingPathComponent("api/resource"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await DefaultTransport.make().data(for: request).1.statusCode == 200
    }
}
#endif
