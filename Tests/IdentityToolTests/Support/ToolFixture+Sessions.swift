import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityStoreFormat

/// Sessions and configurations as a test wants them, whatever the servers would make of it.
extension ToolFixture {
    /// Configures these providers in the place of the usual ones.
    func configure(_ providers: ProviderConfiguration...) throws {
        try JSONEncoder().encode(IdentityConfiguration(store: configuration.store, providers: providers))
            .write(to: configurationFile)
    }

    /// The InsForge server as a provider of the configuration.
    func insForgeProvider(named name: String) -> ProviderConfiguration {
        ProviderConfiguration(
            name: name, type: "insforge",
            settings: [
                "baseURL": .string(insForge.url.absoluteString), "allowsLoopbackHTTP": true,
                "anonKey": .string(insForge.anonKey),
            ])
    }

    /// Stores a session, as a sign-in at `server` does.
    func keep(_ account: AccountID, at server: URL, _ change: (inout Credential) -> Void = { _ in }) async throws {
        let backend = try ServerURL(server.absoluteString, allowsLoopbackHTTP: true).description
        let now = Date()
        var credential = Credential(
            accessToken: Secret(
                "token-of-\(account.account.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "/") })"),
            refreshToken: "refresh", issuedAt: now,
            expiresAt: now + 3600,
            signedInAt: now, backend: backend)
        change(&credential)
        let sessions = ProviderSessions(
            realm: account.realm, origin: .anyone(at: backend), store: try configuration.store.open(), time: .system
        ) { _ in throw CancellationError() }
        try await sessions.begin(credential, for: account)
    }

    /// Changes the last byte of the session that a sign-in has printed.
    func damageSession(of signedIn: ToolProcess.Result) throws {
        let account = signedIn.output.trimmingCharacters(in: .newlines)
        let record = RecordPath.path(collection: StoreKey.Collection.accounts.rawValue, name: account)
        let file = folder.appendingPathComponent("state/identity/\(record)")
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: file)
    }

    /// Stores that a session has ended.
    func end(_ account: AccountID, _ record: String) async throws {
        let store = try configuration.store.open()
        let generation = try await store.record(for: .account(account))?.generation ?? 0
        try await store.write(Data(record.utf8), for: .account(account), replacing: generation)
    }
}

extension ToolProcess.Result {
    /// How often people are told to sign in.
    var signInRequests: Int { errors.lowercased().components(separatedBy: "sign in").count - 1 }
}
