import ArgumentParser
import Foundation
import IdentityKit

/// Words that a shell offers for an argument, from the configuration and the store that the command line names. No request is
/// sent, so the accounts of a store at a server are not offered.
struct CommandCompletions: Sendable {
    private var profiles: [String] = []
    private var providers: [String] = []
    private var accounts: [String] = []

    /// Words for the command line that is being parsed: the parser asks for them without the possibility to wait.
    @TaskLocal static var current = CommandCompletions()

    static var ofProfiles: CompletionKind { .custom { _, _, _ in current.profiles } }
    static var ofProviders: CompletionKind { .custom { _, _, _ in current.providers } }
    static var ofAccounts: CompletionKind { .custom { _, _, _ in current.accounts } }

    init() {}

    /// Reads what is needed for the request of a completion script: `---completion COMMAND… -- ARGUMENT …`.
    init(for words: [String], in call: ToolCall) async {
        guard words.first == "---completion" else { return }
        let rest = words.drop { $0 != "--" }.dropFirst()
        var options = ConfigurationOptions()
        (options.file, options.profile) = (Self.value(of: "--config", in: rest), Self.value(of: "--profile", in: rest))
        guard let file = try? ConfigurationFile(options, in: call).url else { return }
        profiles = (try? IdentityConfiguration.profiles(in: IdentityConfiguration.content(of: file))) ?? []
        guard
            let configuration = try? IdentityConfiguration(
                contentsOf: file, profile: options.profile, variables: call.variables)
        else { return }
        providers = configuration.providers.map(\.name)
        guard let argument = rest.first, argument == "--account" || !argument.hasPrefix("-"),
            let store = configuration.existingFiles(in: call)
        else { return }
        let records = (try? await store.records(in: .accounts).records) ?? []
        for record in records {
            guard let summary = try? AccountSummary(record, at: call.context.clock.now), summary.session.isThere else {
                continue
            }
            let profile = summary.profile.flatMap { $0.isEmailUnverified ? nil : $0 }
            accounts += [summary.account.id, profile?.email].compactMap(\.self)
        }
        // A shell reads a line for each.
        accounts = accounts.filter { $0.visible == $0 }.sorted()
    }

    private static func value(of option: String, in words: ArraySlice<String>) -> String? {
        // The option itself is named where its value is to be completed.
        let typed = words.dropFirst()
        let place = typed.firstIndex(of: option)
        let joined = typed.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
        return (place.flatMap { typed[($0 + 1)...].first } ?? joined).nonEmpty
    }
}

extension IdentityConfiguration {
    /// The store, where it is one of files that exists: nothing is made because somebody types.
    fileprivate func existingFiles(in call: ToolCall) -> (any TokenStore)? {
        guard let folder = (try? store.place(in: call.storeContext))?.folder,
            FileManager.default.fileExists(atPath: folder)
        else { return nil }
        return try? call.stores.open(store, in: call.storeContext)
    }
}

extension AccountSummary.Session {
    /// Whether there is a session, and not only the record of one that has ended.
    fileprivate var isThere: Bool {
        if case .ended = self { false } else { true }
    }
}
