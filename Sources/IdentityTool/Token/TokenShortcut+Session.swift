import Foundation
import IdentityKit
import IdentityStoreFormat

extension TokenShortcut {
    /// Runs `work`, which returns a token of the session's active account, and stores a shortcut to that account's tokens
    /// where possible. Without a shortcut the launcher starts the tool for the next token.
    static func leaving(
        for options: ConfigurationOptions, in session: ToolSession,
        after work: (ToolSession) async throws -> AccessToken
    ) async throws -> AccessToken {
        let before = choice(in: session)
        let token = try await work(session)
        // Only when the account is the stored choice, which did not change meanwhile.
        if var shortcut = before, let details = token.session,
            (try? await chosenAccount(in: session)) == token.account, shortcut == choice(in: session),
            let place = place(of: session, profile: options.profile)
        {
            shortcut.record = path(of: .account(token.account))
            (shortcut.account, shortcut.backend) = (token.account.id, details.backend)
            (shortcut.providerType, shortcut.clientID) = (details.providerType ?? "", details.clientID ?? "")
            try? shortcut.keep(at: place)
        }
        return token
    }

    /// A shortcut with store, key and choice, without an account.
    private static func choice(in session: ToolSession) -> TokenShortcut? {
        guard let files = try? session.configuration.store.filesSealedWithKeyFile(in: session.call.storeContext),
            [files.folder, files.keyFile].allSatisfy({ $0.hasPrefix("/") })
        else { return nil }
        var shortcut = TokenShortcut()
        (shortcut.store, shortcut.keyFile) = files
        shortcut.choice = path(of: .currentAccount(ofProfile: session.configuration.profile))
        guard let content = try? FileContent(ofOwner: "\(shortcut.store)/\(shortcut.choice)").bytes else { return nil }
        shortcut.choiceFingerprint = Fingerprint(of: content).text
        return shortcut
    }

    private static func chosenAccount(in session: ToolSession) async throws -> AccountID? {
        struct Choice: Decodable {
            let account: AccountID
        }
        let record = try await session.store.record(for: .currentAccount(ofProfile: session.configuration.profile))
        return try record?.content.map { try JSONDecoder().decode(Choice.self, from: $0).account }
    }

    private static func path(of key: StoreKey) -> String {
        RecordPath.path(collection: key.collection.rawValue, name: key.name)
    }

    /// The place of the shortcut for the configuration file, if it has not changed since the session was made.
    private static func place(of session: ToolSession, profile: String?) -> Place? {
        guard let content = try? FileContent(ofConfiguration: session.file.path).bytes,
            let place = Place(configuration: content, profile: profile, variables: session.call.variables),
            let configuration = try? IdentityConfiguration(
                parsing: Data(content), profile: profile, variables: session.call.variables),
            configuration == session.configuration
        else { return nil }
        return place
    }

    private func keep(at place: Place) throws {
        guard let content, (try? FileContent(ofOwner: place.file).bytes) != content else { return }
        // Every version of a configuration has its own. Removing one only makes the next token slower.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: place.folder)) ?? []
        if files.count >= 64 {
            for file in files { try FileManager.default.removeItem(atPath: "\(place.folder)/\(file)") }
        }
        try PrivateDocument.replace(Data(content), at: place.file)
    }
}
