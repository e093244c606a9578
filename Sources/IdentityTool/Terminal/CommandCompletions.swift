import ArgumentParser
import Foundation
import IdentityKit

/// The profiles, providers and accounts that a shell offers to complete an argument. Profiles and providers come from the
/// configuration. Accounts come only from a store in files, because a completion must not send requests.
struct CommandCompletions: Sendable {
    private var profiles: [String] = []
    private var providers: [String] = []
    private var accounts: [String] = []

    /// The completions for the command line that is being parsed. A task-local value, because the parser calls the closures for
    /// completions without a context, and they cannot wait for the store.
    @TaskLocal static var current = CommandCompletions()

    static var ofProfiles: CompletionKind { .custom { _, _, _ in offered(current.profiles) } }
    static var ofProviders: CompletionKind { .custom { _, _, _ in offered(current.providers) } }
    static var ofAccounts: CompletionKind { .custom { _, _, _ in offered(current.accounts) } }

    /// Leaves out words with invisible characters, such as a line feed, because shells read one word from each line.
    private static func offered(_ words: [String]) -> [String] { words.filter { $0.visible == $0 } }

    init() {}

    /// Reads the words to offer, if a completion script asks for some: `---completion COMMAND… -- ARGUMENT …`. For any other
    /// command line, there are no words. Words that would come from an unreadable file or store are left out.
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
        accounts.sort()
    }

    private static func value(of option: String, in words: ArraySlice<String>) -> String? {
        // The first word names the argument to complete, such as `--config`. The words of the command line follow it.
        let typed = words.dropFirst()
        let place = typed.firstIndex(of: option)
        let joined = typed.first { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
        return (place.flatMap { typed[($0 + 1)...].first } ?? joined).nonEmpty
    }
}

extension IdentityConfiguration {
    /// Opens the store if it consists of files and can be opened; otherwise returns `nil`. The folder must exist already,
    /// because the completion of a word must not create files.
    fileprivate func existingFiles(in call: ToolCall) -> (any TokenStore)? {
        guard let folder = (try? store.place(in: call.storeContext))?.folder,
            FileManager.default.fileExists(atPath: folder)
        else { return nil }
        return try? call.stores.open(store, in: call.storeContext)
    }
}

extension AccountSummary.Session {
    /// Whether the session has not ended. `true` also for a suspended session, which needs a sign-in, and for a session that
    /// belongs to another configuration.
    fileprivate var isThere: Bool {
        if case .ended = self { false } else { true }
    }
}
