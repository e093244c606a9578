import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import IdentityLocalServers
import ThunderID

/// The environment of the demo: two local servers, a manual clock, a configuration file and a store in a temporary folder, and
/// the current client.
actor DemoStage {
    nonisolated let transport: ObservedTransport
    nonisolated let clock = ManualClock()
    nonisolated let thunderID: LocalThunderIDServer
    nonisolated let insForge: LocalInsForgeServer

    private let folder: URL
    private nonisolated let variables: [String: String]
    private let registry = ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self])
    private var openClient: IdentityClient?

    init(transport: ObservedTransport, in call: ToolCall) async throws {
        (self.transport, variables) = (transport, call.variables)
        thunderID = try await LocalThunderIDServer.start(clock: clock)
        insForge = try await LocalInsForgeServer.start(time: clock.timeSource)
        folder = call.temporaryFolder
            .appendingPathComponent("identity-demo-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Stops the servers and removes the folder. After Ctrl-C a sign-in or a refresh may still be writing there, which makes a
    /// removal fail. Therefore the removal is repeated, at most 100 times.
    func strike() async {
        await thunderID.stop()
        await insForge.stop()
        for _ in 0..<100 where FileManager.default.fileExists(atPath: folder.path) {
            try? FileManager.default.removeItem(at: folder)
            await Task.yield()
        }
    }

    /// The user name of a ThunderID account, or the e-mail address of an InsForge account.
    nonisolated func name(of account: AccountID) -> String {
        account.realm == "thunderid" ? thunderID.user.username : insForge.user.email
    }

    var client: IdentityClient {
        get throws {
            guard let openClient else { throw DemoError(description: "no client is open") }
            return openClient
        }
    }

    nonisolated func configure(_ providers: ProviderConfiguration...) throws {
        let providers = providers.map { provider in
            // Give each provider a minute to find an account without a sign-in, so that a busy machine does not change what the
            // demo shows.
            var patient = provider
            patient.silentDeadline = SilentDeadline(.seconds(60))
            return patient
        }
        let configuration = IdentityConfiguration(
            store: .file(folder: folder.appendingPathComponent("store").path), providers: providers)
        try JSONEncoder().encode(configuration).write(to: configurationFile)
    }

    /// Makes a new client from the configuration file, as a restarted app does. ``client`` returns it from then on.
    func launch(
        prompter: (any FlowPrompter)? = nil, browser: (any WebAuthenticator)? = nil
    ) throws -> IdentityClient {
        let environment = try environment(prompter: prompter, browser: browser)
        let client = IdentityClient(provider: try chain(in: environment), environment: environment)
        openClient = client
        return client
    }

    /// Makes a new chain from the current configuration file, for a client that keeps running.
    func reload(prompter: (any FlowPrompter)? = nil) throws -> IdentityProviderChain {
        try chain(in: environment(prompter: prompter, browser: nil))
    }

    /// The records of all accounts in the store. The record of a signed-out account has no content.
    func accountRecords() async throws -> StoreListing {
        try await environment(prompter: nil, browser: nil).store.records(in: .accounts)
    }

    /// The accounts whose records have content, which a sign-out erases.
    func signedInAccounts() async throws -> [AccountID] {
        try await accountRecords().records.filter { $0.content != nil }.compactMap { AccountID(id: $0.key.name) }
    }

    /// The bytes of all files of the store, which the demo searches for a token.
    nonisolated func storedBytes() throws -> Data {
        let store = folder.appendingPathComponent("store")
        let names = FileManager.default.enumerator(atPath: store.path)?.allObjects as? [String] ?? []
        return names.map(store.appendingPathComponent).reduce(into: Data()) { bytes, file in
            bytes += (try? Data(contentsOf: file)) ?? Data()
        }
    }

    private var configuration: IdentityConfiguration {
        get throws { try IdentityConfiguration(contentsOf: configurationFile, variables: variables) }
    }

    private nonisolated var configurationFile: URL { folder.appendingPathComponent("identity.json") }

    private func environment(
        prompter: (any FlowPrompter)?, browser: (any WebAuthenticator)?
    ) throws -> IdentityEnvironment {
        IdentityEnvironment(
            store: try configuration.store.open(), transport: transport,
            prompter: prompter, webAuthenticator: browser, time: clock.dates, variables: variables)
    }

    private func chain(in environment: IdentityEnvironment) throws -> IdentityProviderChain {
        try registry.makeChain(for: configuration, environment: environment)
    }
}
