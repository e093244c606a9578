import Foundation

extension IdentityClient {
    /// Whether `account` has a session, now and from now on, whichever account is active.
    ///
    /// The first event gives the current state: ``IdentityEvent/signedIn(_:)``, ``IdentityEvent/suspended(_:_:)``,
    /// ``IdentityEvent/sessionEnded(_:reason:)``, ``IdentityEvent/belongsElsewhere(_:reason:)`` or
    /// ``IdentityEvent/signedOut``. Further events follow when a client or process changes that state in the store. All
    /// other events come only from ``events()``. While the store cannot be read, no event is sent.
    public func events(as account: AccountID) -> AsyncStream<IdentityEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: IdentityEvent.self)
        // Listen before the task starts, so that no change is missed.
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

    /// The event that describes the current session of `account`.
    /// - Throws: when the session cannot be read.
    private func state(of account: AccountID) async throws -> IdentityEvent {
        let lookup = try await chain.route(to: account).provider.silentAccount(account, in: try await context())
        switch lookup {
        case .absent(.sessionEnded(let reason)): return .sessionEnded(account, reason: reason)
        case .absent(.belongsElsewhere(let reason)): return .belongsElsewhere(account, reason: reason)
        default: return IdentityEvent(lookup)
        }
    }

    /// Follows a configuration file until the task is cancelled, and applies every change of the file with
    /// ``reload(_:)``.
    ///
    /// An unusable file changes nothing, and ``events()`` reports why. The file is checked at once and after each
    /// pause, which works on every system and for files that are replaced, linked or on a network.
    /// - Parameters:
    ///   - file: the document.
    ///   - profile: which of its profiles; by default what `SWIFT_IDENTITY_PROFILE` or the document says.
    ///   - pause: the time between two checks.
    public func follow(_ file: URL, profile: String? = nil, every pause: Duration = .seconds(1)) async {
        // Neither a state nor a missing file has been seen yet.
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

/// Detects a changed file without reading it.
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
