import Foundation

/// Finds the Keychain items that other processes have changed.
///
/// The tag of an item is the generation of its record, so each write changes the tag. The watcher compares all tags
/// after each signal, and at regular intervals in case a signal was lost.
enum KeychainWatcher {
    /// A feed that also sends the changes of other processes while it has listeners.
    static func feed(
        of vault: KeychainVault, service: String, signal: (any KeychainSignal)?, lookingEvery pause: Duration,
        time: TimeSource
    ) -> ChangeFeed {
        ChangeFeed { feed in
            // Listen before the first check, so that no signal is missed. Several signals lead to a single check.
            let (reasons, reason) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let listening = signal?.listen { reason.yield() }
            let before = (try? vault.tags(ofService: service)) ?? [:]
            return {
                var seen = before
                let clock = Task {
                    while (try? await time.sleep(for: pause)) != nil { reason.yield() }
                }
                for await _ in reasons {
                    // Skip the check if the tags cannot be read. In a locked Keychain, for example, nothing changes.
                    guard let tags = try? vault.tags(ofService: service) else { continue }
                    var next = tags
                    for (account, tag) in tags where seen[account] != tag {
                        do throws(TokenStoreError) {
                            let file = try vault.file(in: KeychainName(service: service, account: account))
                            if let file { feed.send(StoreChange(file.record)) }
                        } catch .corrupt, .tooNew {
                            // Do not try again, because only another write can repair the record. A direct read throws the
                            // error.
                        } catch {
                            // Read the record again after the next check, because it may be locked now.
                            next[account] = seen[account]
                        }
                    }
                    seen = next
                }
                clock.cancel()
                withExtendedLifetime(listening) {}
            }
        }
    }
}
