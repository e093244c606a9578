import Foundation

extension IdentityClient {
    /// Reports whether `account` has a session, now and after each change of the session in the store. After a temporary
    /// error, the session is read again for up to a day, with pauses of up to five seconds. If the store is locked because a
    /// person has to unlock its key, the session is read again only at the next change, so that the person is not asked
    /// repeatedly.
    func events(about account: AccountID) -> AsyncStream<IdentityEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: IdentityEvent.self)
        // Listen before the task starts, so that no change is missed.
        let changes = environment.store.changes(in: .accounts)
        let asksPerson = environment.store.layer(SealedTokenStore.self)?.home is any RevocableDataKeyHome
        let following = Task {
            var last: IdentityEvent?
            func emit() async {
                let event = try? await Backoff.result(
                    within: .seconds(86_400), from: .seconds(1), to: .seconds(5),
                    whereErrorPasses: { error, _ in
                        if asksPerson, case .locked? = error as? TokenStoreError { return false }
                        return error.identityFailureClass == .transient && !(error is CancellationError)
                    }, pausing: environment.time.sleep(for:)
                ) { try await state(of: account) }
                guard let event, last.map(event.repeats) != true else { return }
                last = event
                continuation.yield(event)
            }
            await emit()
            // A change with an empty name means that any account may have changed, because the store may have missed changes.
            for await change in changes where change.key == .account(account) || change.key == StoreKey(.accounts, "") {
                await emit()
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in following.cancel() }
        return events
    }

    /// The event that describes the current session of `account`.
    /// - Throws: `ChainUsageError` when no provider has the account's realm or the client's `ProviderOverride` excludes the
    ///   provider, otherwise what the provider and the store throw.
    private func state(of account: AccountID) async throws -> IdentityEvent {
        let lookup = try await chain.route(to: account).provider.silentAccount(account, in: try await context())
        switch lookup {
        case .absent(.sessionEnded(let reason)): return .sessionEnded(account, reason: reason)
        case .absent(.belongsElsewhere(let reason)): return .belongsElsewhere(account, reason: reason)
        default: return IdentityEvent(lookup)
        }
    }

    /// Reads a configuration file now and after every change of the file, until the task is cancelled, and applies it with
    /// ``reload(_:)``.
    ///
    /// An unusable file changes nothing, and ``events(as:)`` reports ``IdentityEvent/configurationRejected(_:)``. The file is
    /// checked for changes after each pause, which works on every system and for files that are replaced, linked or on a
    /// network.
    /// - Parameters:
    ///   - file: the configuration document.
    ///   - profile: the name of a profile; by default the value of the variable `SWIFT_IDENTITY_PROFILE`, or else of the
    ///     document's `defaultProfile`, or else the only profile.
    ///   - pause: the time between two checks.
    public func follow(_ file: URL, profile: String? = nil, every pause: Duration = .seconds(1)) async {
        // The outer `nil` means that no check was made, and the inner `nil` that the file was missing.
        var last: FileState??
        while !Task.isCancelled {
            let current = FileState(of: file)
            if current != last {
                last = current
                reload(contentsOf: file, profile: profile)
            }
            guard (try? await environment.time.sleep(for: pause)) != nil else { return }
        }
    }

    private func reload(contentsOf file: URL, profile: String?) {
        do {
            try reload(
                IdentityConfiguration(contentsOf: file, profile: profile, variables: environment.variables))
        } catch {
            emit(.configurationRejected(error.scrubbedMessage))
        }
    }
}

/// The inode number, size and date of a file, which reveal most changes without reading the file.
private struct FileState: Equatable {
    let number: UInt64?
    let size: UInt64?
    let modified: Date?

    init?(of file: URL) {
        // Follow symbolic links to the target, because configurations are often deployed by links.
        let path = file.resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
        size = (attributes[.size] as? NSNumber)?.uint64Value
        modified = attributes[.modificationDate] as? Date
    }
}
