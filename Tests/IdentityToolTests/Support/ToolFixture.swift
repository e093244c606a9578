import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Local servers, a configuration that names them, and folders of the tool's own.
final class ToolFixture: Sendable {
    let folder: URL
    let insForge: LocalInsForgeServer
    let thunderID: LocalThunderIDServer
    let openIDConnect: LocalOpenIDConnectServer
    /// Where the browser comes back from the OpenID Connect server.
    private let redirectURI: String

    init(redirectURI: String = "http://127.0.0.1/callback") async throws {
        UsualUmask.set()
        self.redirectURI = redirectURI
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString)")
        insForge = try await LocalInsForgeServer.start()
        thunderID = try await LocalThunderIDServer.start()
        var client = LocalOpenIDConnectServer.Client.publicApp
        if !client.redirectURIs.contains(redirectURI) { client.redirectURIs.append(redirectURI) }
        var rules = LocalOpenIDConnectServer.Configuration()
        rules.clients = [client]
        rules.allowsRegistration = true
        openIDConnect = try await LocalOpenIDConnectServer.start(configuration: rules)
        for folder in [home, configurationFile.deletingLastPathComponent()] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try JSONEncoder().encode(configuration).write(to: configurationFile)
    }

    var configurationFile: URL { folder.appendingPathComponent("config/identity/identity.json") }

    private var home: URL { folder.appendingPathComponent("home") }

    /// What tells the tool where its folders are.
    var environment: [String: String] {
        NoBrowser.variables.merging([
            "HOME": home.path,
            "XDG_CONFIG_HOME": folder.appendingPathComponent("config").path,
            "XDG_STATE_HOME": folder.appendingPathComponent("state").path,
            "XDG_CACHE_HOME": folder.appendingPathComponent("cache").path,
            "NO_COLOR": "1",
        ]) { $1 }
    }

    /// The two seconds of an app would decide about a test beside busy programs.
    private static let longest = SilentDeadline(.seconds(3600))

    var configuration: IdentityConfiguration {
        IdentityConfiguration(
            store: .file(folder: folder.appendingPathComponent("state/identity").path, key: .keyFile()),
            providers: [
                ProviderConfiguration(
                    name: "work", type: "thunderid",
                    settings: [
                        "baseURL": .string(thunderID.url.absoluteString), "allowsLoopbackHTTP": true,
                        "clientID": .string(thunderID.application.clientID),
                        "redirectURI": .string(thunderID.application.redirectURIs.first ?? ""),
                    ], silentDeadline: Self.longest),
                ProviderConfiguration(
                    name: "home", type: "insforge",
                    settings: [
                        "baseURL": .string(insForge.url.absoluteString), "allowsLoopbackHTTP": true,
                        "anonKey": .string(insForge.anonKey),
                    ], silentDeadline: Self.longest),
                ProviderConfiguration(
                    name: "any", type: "openid-connect",
                    settings: [
                        "issuer": .string(openIDConnect.issuer), "allowsLoopbackHTTP": true,
                        "clientID": .string(openIDConnect.client.id), "redirectURI": .string(redirectURI),
                    ], silentDeadline: Self.longest),
            ])
    }

    /// Runs a command without a terminal.
    func run(_ arguments: String..., input: String? = nil) async throws -> ToolProcess.Result {
        try await Tool.run(arguments, environment: environment, input: input)
    }

    /// Runs a command whose words are parted by spaces.
    func run(line: String) async throws -> ToolProcess.Result {
        try await Tool.run(line.split(separator: " ").map(String.init), environment: environment)
    }

    /// Starts a call of the library as if at a terminal, which goes on until what it waits for has come.
    func call(_ arguments: String...) throws -> Tool.Call {
        try Tool.Call(arguments, environment: environment, isAtTerminal: true)
    }

    /// Calls the library as if at a terminal, where these lines are typed.
    func run(_ arguments: String..., typing lines: [String]) async throws -> ToolProcess.Result {
        let input = lines.map { $0 + "\n" }.joined()
        return await (try Tool.Call(arguments, environment: environment, input: input, isAtTerminal: true)).finish()
    }

    /// Runs the tool as a process of its own, without a terminal.
    func process(_ arguments: String...) async throws -> ToolProcess.Result {
        try await ToolProcess.Run(arguments, environment: environment).finish()
    }

    /// Starts the tool at a terminal.
    func start(_ arguments: String...) throws -> (run: ToolProcess.Run, terminal: PseudoTerminal) {
        let terminal = try PseudoTerminal()
        return (try ToolProcess.Run(arguments, environment: environment, at: terminal), terminal)
    }

    /// Signs the InsForge user in.
    func signIn() async throws -> ToolProcess.Result {
        try await run(
            "login", "--provider", "home", "--username", insForge.user.email, "--password-stdin",
            input: insForge.user.password + "\n")
    }

    /// Signs the ThunderID user in.
    func signInAtThunderID() async throws -> ToolProcess.Result {
        try await run(
            "login", "--provider", "work", "--username", thunderID.user.username, "--password-stdin",
            input: thunderID.user.password.reveal() + "\n")
    }

    /// Signs in at the OpenID Connect server with a code that is entered, or denied, on another device.
    func signInOnDevice(allows: Bool) async throws -> ToolProcess.Result {
        let call = try call("login", "--provider", "any", "--device")
        await call.waits(for: "▀")
        let words = call.text.split(whereSeparator: \.isWhitespace)
        let page = try #require(words.first { $0.hasPrefix("http://") }.flatMap { URL(string: String($0)) })
        let code = try #require(words.firstIndex(of: "code").map { String(words[$0 + 1]) })
        let user = openIDConnect.user
        try await ScriptedLogin(username: user.username, password: user.password, allows: allows)
            .decideOnDevice(at: page, userCode: code)
        return await call.finish()
    }

    /// The ThunderID user, as the configuration names people.
    var thunderIDAccount: AccountID { AccountID(account: thunderID.user.id, realm: "work") }

    /// Makes the stored token of the ThunderID user one that has expired.
    func expireToken() async throws {
        try await changeSession { $0.expiresAt = Date() - 1 }
    }

    /// Changes the stored session of the ThunderID user.
    func changeSession(_ change: (inout Credential) -> Void) async throws {
        try await changeSession(of: thunderIDAccount, at: thunderID.url, change)
    }

    /// Changes a stored session.
    func changeSession(
        of account: AccountID, at server: URL, _ change: (inout Credential) -> Void
    ) async throws {
        let backend = try ServerURL(server.absoluteString, allowsLoopbackHTTP: true)
        let sessions = ProviderSessions(
            realm: account.realm, origin: .anyone(at: backend.description), store: try configuration.store.open(),
            time: .system
        ) { _ in throw CancellationError() }
        var credential = try #require(try await sessions.storedCredential(of: account))
        change(&credential)
        try await sessions.begin(credential, for: account)
    }

    /// Runs a Bash script in which `$0` is the tool.
    func shell(_ script: String) async throws -> ToolProcess.Result {
        try await ToolProcess.shell(script, environment: environment)
    }

    /// Stops the servers and removes the folders.
    func tearDown() async {
        await insForge.stop()
        await thunderID.stop()
        await openIDConnect.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Runs `test` with a fixture and cleans up after it.
/// - Parameter redirectURI: where the browser comes back from the OpenID Connect server.
func withTool(
    redirectURI: String = "http://127.0.0.1/callback", _ test: (ToolFixture) async throws -> Void
) async throws {
    let fixture = try await ToolFixture(redirectURI: redirectURI)
    do {
        try await test(fixture)
    } catch {
        await fixture.tearDown()
        throw error
    }
    await fixture.tearDown()
}
