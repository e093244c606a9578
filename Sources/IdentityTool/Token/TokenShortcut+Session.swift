import Foundation
import IdentityKit
import IdentityStoreFormat

extension TokenShortcut {
    /// Runs `work`, and stores a shortcut to the record of the account whose token `work` returns, if possible. With the
    /// shortcut, the small program `identity-launcher` can print the next token without starting this tool.
    /// - Throws: what `work` throws. A shortcut that cannot be stored is no error.
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

    /// Returns whether the next command may find `account` by `shortcut`. If the command names an account, the name must be
    /// the identifier of `account`. If the command names none, `account` must be the active one, and the record that names the
    /// active account must not have changed since `shortcut` was made.
    private static func isOf(
        _ account: AccountID, _ shortcut: TokenShortcut, in session: ToolSession
    ) async -> Bool {
        if let named = session.named { return named.text.utf8.elementsEqual(account.id.utf8) }
        return (try? await chosenAccount(in: session)) == account && shortcut == choice(in: session)
    }

    /// Makes a shortcut with only the store and its key file; `nil` for a store without a key file, and if the path of the
    /// store or of the key file is relative.
    private static func files(of session: ToolSession) -> TokenShortcut? {
        guard let files = try? session.configuration.store.filesSealedWithKeyFile(in: session.call.storeContext),
            [files.folder, files.keyFile].allSatisfy({ $0.hasPrefix("/") })
        else { return nil }
        var shortcut = TokenShortcut()
        (shortcut.store, shortcut.keyFile) = files
        return shortcut
    }

    /// Makes a shortcut with the store, its key file, and the record that names the active account, but without the
    /// account itself. `nil` if ``files(of:)`` returns `nil`, or if the record cannot be read.
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

    /// Returns the shortcut's path for the configuration file; `nil` if the configuration cannot have a shortcut, or if the
    /// file has changed since the session began.
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
        // Remove all shortcuts when there are 64, because each version of a configuration adds one. After that, only the next
        // token of each configuration is slower.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: place.folder)) ?? []
        if files.count >= 64 {
            for file in files { try FileManager.default.removeItem(atPath: "\(place.folder)/\(file)") }
        }
        try PrivateDocument.replace(Data(content), at: place.file)
    }
}
