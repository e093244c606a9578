import Foundation

extension IdentityClient {
    /// Whether `account` has a session, now and from now on, whichever account is active.
    ///
    /// The first event says how it is: ``IdentityEvent/signedIn(_:)``, ``IdentityEvent/suspended(_:_:)``,
    /// ``IdentityEvent/sessionEnded(_:reason:)``, ``IdentityEvent/belongsElsewhere(_:reason:)`` or ``IdentityEvent/signedOut``.
    /// The next one follows when that has changed in the store, by whichever client or process. Others come from ``events()``
    /// alone. A store that cannot be read tells nothing.
    public func events(as account: AccountID) -> AsyncStream<IdentityEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: IdentityEvent.self)
        // Before the task runs: what changes until then is not missed.
        let changes = environment.store.changes(in: .accounts)
        let following = Task {
            var last: IdentityEvent?
            func emit() async {
                guard let event = try? await state(of: account), last.map(event.repeats) != true else { return }
                last = event
                continuation.yield(event)
            }
            await emit()
            for await change in changes where change.key == .account(account) { await emit() }
            continuation.finish()
        }
        continuation.onTermination = { _ in following.cancel() }
        return events
    }

    /// - Throws: when that is unknown.
    private func state(of account: AccountID) async throws -> IdentityEvent {
        let lookup = try await chain.route(to: account).provider.silentAccount(account, in: try await context())
        switch lookup {
        case .absent(.sessionEnded(let reason)): return .sessionEnded(account, reason: reason)
        case .absent(.belongsElsewhere(let reason)): return .belongsElsewhere(account, reason: reason)
        default: return IdentityEvent(lookup)
        }
    }

    /// Follows a configuration file until the task is cancelled: ``reload(_:)`` applies every change of it.
    ///
    /// A file that cannot be used changes nothing; ``events()`` tells why. The file is checked at once and after each pause,
    /// which works on every system and for files that are replaced, linked or on a network.
    /// - Parameters:
    ///   - file: the document.
    ///   - profile: which of its profiles; by default what `SWIFT_IDENTITY_PROFILE` or the document says.
    ///   - pause: the time between two checks.
    public func follow(_ file: URL, profile: String? = nil, every pause: Duration = .seconds(1)) async {
        var last: FileState?
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

/// Detects a changed file without reading it.
private struct FileState: Equatable {
    let number: UInt64?
    let size: UInt64?
    let modified: Date?

    init?(of file: URL) {
        // Of a symbolic link the target counts, because configurations are often deployed by links.
        let path = file.resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
        size = (attributes[.size] as? NSNumber)?.uint64Value
        modified = attributes[.modificationDate] as? Date
    }
}
