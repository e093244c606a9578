import ArgumentParser
import Foundation
import IdentityKit

/// Words that a shell offers for an argument, from the configuration and the store. No request is sent, so accounts in
/// a remote store are not offered.
struct CommandCompletions: Sendable {
    private var profiles: [String] = []
    private var providers: [String] = []
    private var accounts: [String] = []

    /// Words for the command line that is being parsed. A task-local value, because the parser's closures for
    /// completions are synchronous and have no context.
    @TaskLocal static var current = CommandCompletions()

    static var ofProfiles: CompletionKind { .custom { _, _, _ in current.profiles } }
    static var ofProviders: CompletionKind { .custom { _, _, _ in current.providers } }
    static var ofAccounts: CompletionKind { .custom { _, _, _ in current.accounts } }

    init() {}

    /// Reads the data for a request of a completion script: `---completion COMMAND… -- ARGUMENT …`.
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
        // Shells read one word per line, so names with invisible characters are left out.
        accounts = accounts.filter { $0.visible == $0 }.sorted()
    }

    private static func value(of option: String, in words: ArraySlice<String>) -> String? {
        // If the value of an option is completed, the option is the word before it.
        let typed = words.dropFirst()
        let place = typed.firstIndex(of: option)
        let joined = typed.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
        return (place.flatMap { typed[($0 + 1)...].first } ?? joined).nonEmpty
    }
}

extension IdentityConfiguration {
    /// The store if it consists of existing files: completing a word must create nothing.
    fileprivate func existingFiles(in call: ToolCall) -> (any TokenStore)? {
        guard let folder = (try? store.place(in: call.storeContext))?.folder,
            FileManager.default.fileExists(atPath: folder)
        else { return nil }
        return try? call.stores.open(store, in: call.storeContext)
    }
}

extension AccountSummary.Session {
    /// Whether the record has a session that has not ended.
    fileprivate var isThere: Bool {
        if case .ended = self { false } else { true }
    }
}
