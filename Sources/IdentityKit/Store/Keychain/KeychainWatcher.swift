import Foundation

/// Finds out which items other processes have changed, by comparing all tags: when somebody signals, and from time to
/// time.
enum KeychainWatcher {
    /// A feed that also tells what others changed, as long as somebody listens.
    static func feed(
        of vault: KeychainVault, service: String, signal: (any KeychainSignal)?, lookingEvery pause: Duration,
        time: TimeSource
    ) -> ChangeFeed {
        let box = Locked(WeakFeed())
        let feed = ChangeFeed {
            // Before the first look, so that nothing falls in between. Several signals are one reason to look.
            let (reasons, reason) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let listening = signal?.listen { reason.yield() }
            let before = (try? vault.tags(ofService: service)) ?? [:]
            return {
                var seen = before
                let clock = Task {
                    while (try? await time.sleep(for: pause)) != nil { reason.yield() }
                }
                for await _ in reasons {
                    // While the Keychain is locked nothing can change in it.
                    guard let tags = try? vault.tags(ofService: service) else { continue }
                    for (account, tag) in tags where seen[account] != tag {
                        // A record that cannot be read has no state to tell; whoever asks for it gets the error.
                        let name = KeychainName(service: service, account: account)
                        guard let file = try? vault.file(in: name) else { continue }
                        box.withLock { $0.feed }?.send(StoreChange(file.record))
                    }
                    seen = tags
                }
                clock.cancel()
                withExtendedLifetime(listening) {}
            }
        }
        box.withLock { $0.feed = feed }
        return feed
    }

    private struct WeakFeed: Sendable {
        weak var feed: ChangeFeed?
    }
}
