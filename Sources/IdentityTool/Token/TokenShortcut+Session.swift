import Foundation
import IdentityKit
import IdentityStoreFormat

extension TokenShortcut {
    /// Runs `work`, which returns a token of the session's account, and stores a shortcut to that account's tokens if
    /// possible. Without a shortcut, the launcher has to start the whole tool for the next token.
    static func leaving(
        for options: ConfigurationOptions, in session: ToolSession,
        after work: (ToolSession) async throws -> AccessToken
    ) async throws -> AccessToken {
        let before = session.named == nil ? choice(in: session) : files(of: session)
        let token = try await work(session)
        if var shortcut = before, let details = token.session, await isOf(token.account, shortcut, in: session),
            let place = place(of: session, profile: options.profile)
        {
            shortcut.record = path(of: .account(token.account))
            (shortcut.account, shortcut.backend) = (token.account.id, details.backend)
            (shortcut.providerType, shortcut.clientID) = (details.providerType ?? "", details.clientID ?? "")
            try? shortcut.keep(at: place)
        }
        return token
    }

    /// Whether the next command may find `account` by `shortcut`: the account was given by its identifier, or is the
    /// stored choice and the choice has not changed in the meantime.
    private static func isOf(
        _ account: AccountID, _ shortcut: TokenShortcut, in session: ToolSession
    ) async -> Bool {
        if let named = session.named { return named.text.utf8.elementsEqual(account.id.utf8) }
        return (try? await chosenAccount(in: session)) == account && shortcut == choice(in: session)
    }

    /// A shortcut with only the store and its key.
    private static func files(of session: ToolSession) -> TokenShortcut? {
        guard let files = try? session.configuration.store.filesSealedWithKeyFile(in: session.call.storeContext),
            [files.folder, files.keyFile].allSatisfy({ $0.hasPrefix("/") })
        else { return nil }
        var shortcut = TokenShortcut()
        (shortcut.store, shortcut.keyFile) = files
        return shortcut
    }

    /// A shortcut with store, key and choice, but without an account.
    private static func choice(in session: ToolSession) -> TokenShortcut? {
        guard var shortcut = files(of: session) else { return nil }
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

    /// The shortcut's place for the configuration file; `nil` if the file has changed since the session began.
    private static func place(of session: ToolSession, profile: String?) -> Place? {
        guard let content = try? FileContent(ofConfiguration: session.file.path).bytes,
            let place = Place(
                configuration: content, profile: profile, account: session.named?.text,
                variables: session.call.variables),
            let configuration = try? IdentityConfiguration(
                parsing: Data(content), profile: profile, variables: session.call.variables),
            configuration == session.configuration
        else { return nil }
        return place
    }

    private func keep(at place: Place) throws {
        guard let content, (try? FileContent(ofOwner: place.file).bytes) != content else { return }
        // Each version of a configuration has a shortcut of its own. Removing old ones is safe: it only makes the next
        // token slower.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: place.folder)) ?? []
        if files.count >= 64 {
            for file in files { try FileManager.default.removeItem(atPath: "\(place.folder)/\(file)") }
        }
        try PrivateDocument.replace(Data(content), at: place.file)
    }
}
