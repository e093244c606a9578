import Foundation
import IdentityKit

/// Examines the store: whether it opens, and whether its key and its records can be read. Reports sessions that need a
/// sign-in.
struct StoreExamination {
    let configuration: StoreConfiguration
    let profile: String
    /// The names of the configured providers, whose sessions the store keeps.
    let providers: [String]
    let call: ToolCall
    /// Whether to examine a store on a server, which needs requests to that server.
    let asksServers: Bool

    func findings() async -> [Finding] {
        guard configuration != .memory else {
            return [
                .warning(
                    "store", "sessions are kept in memory and end with each command",
                    fix: "Remove \"store\" from the configuration, or name a folder.")
            ]
        }
        let store: any TokenStore
        do {
            // Look for damage first, because opening and using the store would repair the damage.
            let damage = try configuration.damage(in: call.storeContext)
            guard damage.isEmpty else { return damage.map(Finding.init) }
            store = try call.stores.open(configuration, in: call.storeContext)
        } catch {
            return [finding(error)]
        }
        if !configuration.isBuiltIn {
            guard asksServers else { return [] }
            let server = await serverFindings
            guard !server.contains(where: { $0.verdict == .bad }) else { return server }
            return await server + writing(to: store)
        }
        // Continue after a failed write: the store may still be readable.
        return await writing(to: store) + parentFolders + records(of: store)
    }

    private var serverFindings: [Finding] {
        get async {
            do {
                return try await call.stores.examine(configuration, in: call.storeContext).map(Finding.init)
            } catch {
                return [finding(error)]
            }
        }
    }

    /// A finding about the folders above the store. A user who can write to such a folder can replace the store.
    private var parentFolders: [Finding] {
        guard let folder = try? configuration.place(in: call.storeContext)?.folder else { return [] }
        guard let weakness = ParentFolders.weakness(above: folder) else {
            return [.ok("parent folders", "only you and the system can change them")]
        }
        let detail = "\(weakness.folder) lets other users replace the store: \(weakness.detail)"
        let owner = (try? FileManager.default.attributesOfItem(atPath: weakness.folder))?[.ownerAccountID] as? NSNumber
        guard owner?.uint32Value == geteuid() else {
            return [.warning("parent folders", detail, fix: "Keep the store in a folder that only you can change.")]
        }
        return [.warning("parent folders", detail, fix: "chmod go-w \(weakness.folder.quotedForShell)")]
    }

    /// Writes, reads and erases a test record. Returns findings about the store and its key, or one about the error.
    private func writing(to store: any TokenStore) async -> [Finding] {
        do {
            let (key, content) = (StoreKey(.device, "examination"), Data("sound".utf8))
            var read: Data?
            // Try again if the record is missing, because a concurrent examination may have erased it before it was read.
            for _ in 1...10 where read == nil {
                try await store.update(key, settingDamagedAside: true) { _ in .replace(content) }
                read = try await store.record(for: key)?.content
                try await store.update(key) { _ in .replace(nil) }
            }
            let isSound = read == content
            let isSealed = store.layer(SealedTokenStore.self) != nil
            return [
                .ok("store", configuration.inWords(in: call)),
                isSound
                    ? .ok("store key", "a record was \(isSealed ? "sealed, " : "")written, read and erased")
                    : .bad("store key", "a record was changed", fix: "Use another folder."),
            ]
        } catch {
            return [finding(error)]
        }
    }

    private func finding(_ error: any Error, about subject: String = "store") -> Finding {
        let remedy = StoreRemedy(configuration: configuration, call: call)
        return .bad(subject, error.identityMessage, fix: remedy.fix(for: error))
    }

    private func records(of store: any TokenStore) async -> [Finding] {
        do {
            let listing = try await store.records(in: .accounts)
            let damaged = listing.failures.map { failure in
                let fix = StoreRemedy.permission(failure.path) ?? signInAgain(besides: listing.records)
                return Finding.bad("session", failure.message, fix: fix)
            }
            let summaries = try listing.records.compactMap { try AccountSummary($0, at: call.context.clock.now) }
            call.names.learn(summaries)
            let suspended = summaries.compactMap(needingSignIn) + summaries.compactMap(endingSoon)
            let count = listing.records.count { $0.content != nil }
            let choice = await self.choice(among: summaries, in: store)
            return damaged + suspended + choice + [.ok("sessions", "\(count) can be read")]
        } catch {
            return [finding(error, about: "sessions")]
        }
    }
}

extension StoreExamination {
    /// Returns a finding if the record that names the active account cannot be read. Selecting an account replaces this
    /// record.
    private func choice(among sessions: [AccountSummary], in store: any TokenStore) async -> [Finding] {
        do {
            _ = try await store.record(for: .currentAccount(ofProfile: profile))
            return []
        } catch {
            let usable = sessions.first { $0.isLive && providers.contains($0.account.realm) }?.account
            let fix = usable.map { "Run: identity switch" + " " + $0.id.quotedForShell } ?? "Run: identity login"
            return [.bad("active account", error.identityMessage, fix: fix)]
        }
    }

    /// Returns a finding about a suspended session, which needs a sign-in; `nil` for other sessions. The suggested command
    /// names the provider, because another account may be active. No command is suggested for a provider of another profile.
    private func needingSignIn(_ summary: AccountSummary) -> Finding? {
        guard case .suspended(_, let suspension) = summary.session else { return nil }
        let realm = summary.account.realm
        return .bad(
            "session", "\(summary.account) needs a sign-in: \(suspension.reason)",
            fix: providers.contains(realm) ? "Run: identity login" + " --provider \(realm.quotedForShell)" : nil)
    }

    /// Returns a warning about a live session that ends with its access token, because it cannot be refreshed; `nil`
    /// for other sessions.
    private func endingSoon(_ summary: AccountSummary) -> Finding? {
        guard summary.endsWithAccessToken else { return nil }
        return .warning(
            "session", "\(summary.account) has no refresh token, and ends with its access token",
            fix: "Ask the server for one, such as with offline_access among the scopes, and sign in again.")
    }

    /// Returns the command for a sign-in that replaces an unreadable session, or advice that lists the possible providers.
    /// Returns `nil` if no provider is configured.
    /// - Parameter readable: the readable records. An unreadable record does not show its provider, but probably
    ///   belongs to a provider without a readable session.
    private func signInAgain(besides readable: [StoreRecord]) -> String? {
        let present = Set(readable.filter { $0.content != nil }.compactMap { AccountID(id: $0.key.name)?.realm })
        let missing = providers.filter { !present.contains($0) }
        let likely = missing.isEmpty ? providers : missing
        guard let only = likely.first else { return nil }
        guard likely.count > 1 else { return "Run: identity login --provider \(only.quotedForShell)" }
        return "Sign in again with the provider of this session: \(likely.joined(separator: ", "))."
    }
}

extension Finding {
    fileprivate init(_ damage: StoreConfiguration.Damage) {
        switch damage {
        case .description(let path):
            self = .bad("store", "\(path) is damaged. Its copy is whole", fix: "Run: identity accounts")
        case .keyRecord(let path):
            self = .bad(
                "store key", "the record \(path), which identifies the key, is damaged. The key itself is not in it",
                fix: "Run: identity store rekey")
        }
    }

    fileprivate init(_ finding: StoreFinding) {
        let verdict: Verdict =
            switch finding.verdict {
            case .good: .ok
            case .warning: .warning
            case .bad: .bad
            }
        self.init(subject: finding.subject, verdict: verdict, detail: finding.detail, fix: finding.fix)
    }
}
