import Foundation

/// Finds out which items other processes have changed, by comparing all tags from time to time.
enum KeychainWatcher {
    /// A feed that also tells what others changed, as long as somebody listens.
    static func feed(
        of vault: KeychainVault, service: String, lookingEvery pause: Duration, time: TimeSource
    ) -> ChangeFeed {
        let box = Locked(WeakFeed())
        let feed = ChangeFeed {
            let before = (try? vault.tags(ofService: service)) ?? [:]
            return {
                var seen = before
                while !Task.isCancelled {
                    // While the Keychain is locked nothing can change in it.
                    guard (try? await time.sleep(for: pause)) != nil,
                        let tags = try? vault.tags(ofService: service)
                    else { continue }
                    for (account, tag) in tags where seen[account] != tag {
                        // A record that cannot be read has no state to tell; whoever asks for it gets the error.
                        let name = KeychainName(service: service, account: account)
                        guard let file = try? vault.file(in: name) else { continue }
                        box.withLock { $0.feed }?.send(StoreChange(file.record))
                    }
                    seen = tags
                }
            }
        }
        box.withLock { $0.feed = feed }
        return feed
    }

    private struct WeakFeed: Sendable {
        weak var feed: ChangeFeed?
    }
}
