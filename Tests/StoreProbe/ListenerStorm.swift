import Foundation
import IdentityKit

/// Clients and listeners that come, are cancelled and are let go of by many tasks, while events are sent by others: all
/// that may happen to a lock at once.
///
/// An alarm ends the process when no round ends for a while, after a debugger, where there is one, has printed what every
/// thread waits for.
struct ListenerStorm {
    let store: any TokenStore
    let rounds: Int

    private static let workers = 6
    private static let writers = 2
    /// In seconds, for the rounds between two reports of progress.
    private static let patience: UInt32 = 60

    func run() async {
        signal(SIGALRM) { _ in
            // Should printing hang as well, the next alarm ends the process without it.
            signal(SIGALRM, SIG_DFL)
            alarm(Self.patience)
            printStacks()
            abort()
        }
        alarm(Self.patience)
        let isOver = Locked(false)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<Self.writers {
                group.addTask { await write(StoreKey(.currentAccounts, "writer-\(writer)"), until: isOver) }
            }
            await withTaskGroup(of: Void.self) { workers in
                for worker in 0..<Self.workers {
                    workers.addTask { await listen(rounds / Self.workers, reportsProgress: worker == 0) }
                }
            }
            isOver.withLock { $0 = true }
        }
        alarm(0)
        say("done")
    }

    private func write(_ key: StoreKey, until isOver: Locked<Bool>) async {
        var generation: UInt64 = 0
        while !isOver.withLock({ $0 }) {
            if let record = try? await store.write(Data("x".utf8), for: key, replacing: generation) {
                generation = record.generation
            }
            // A store in memory never suspends anybody, and the threads are few.
            await Task.yield()
        }
    }

    /// A client with its listeners. It is let go of with one of its listeners waiting for what is just being sent.
    private struct Audience {
        let client: IdentityClient
        let listeners: [Task<Void, Never>]

        init(_ client: IdentityClient, _ store: any TokenStore, _ monitor: RefreshMonitor) {
            self.client = client
            let (changes, reports, events) = (store.changes(in: nil), monitor.reports(), client.events())
            listeners = [
                Task { for await _ in changes {} }, Task { for await _ in reports {} },
                Task { for await _ in events {} },
            ]
        }
    }

    private func listen(_ rounds: Int, reportsProgress: Bool) async {
        let monitor = RefreshMonitor()
        let ada = AccountID(account: "ada", realm: "work")
        var audiences: [Audience] = []
        for round in 0..<rounds {
            if reportsProgress, round % 50 == 0 { alarm(Self.patience) }
            let provider = StaticTokenProvider(token: "token", account: ada)
            let client = IdentityClient(
                provider: provider, environment: IdentityEnvironment(store: store, refreshMonitor: monitor))
            audiences.append(Audience(client, store, monitor))
            // Each of these tells listeners something.
            _ = try? await client.account()
            try? await client.signOut(as: ada)
            monitor.report(.stored(ada))
            await Task.yield()
            if audiences.count > 8 {
                for listener in audiences.removeFirst().listeners { listener.cancel() }
            }
        }
        for audience in audiences { for listener in audience.listeners { listener.cancel() } }
    }
}

/// Prints the stacks of all threads on standard error. The process has hung, so there is nothing left to be careful of.
private func printStacks() {
    let debugger = Process()
    debugger.executableURL = URL(fileURLWithPath: "/usr/bin/gdb")
    debugger.arguments = [
        "-p", "\(ProcessInfo.processInfo.processIdentifier)", "-batch", "-ex", "thread apply all bt 20",
    ]
    debugger.standardOutput = FileHandle.standardError
    guard (try? debugger.run()) != nil else { return }
    debugger.waitUntilExit()
}
