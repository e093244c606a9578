#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

/// Runs libcurl on a thread of its own for the requests of a transport. The thread starts with the engine, which the
/// transport creates for its first request.
final class CurlEngine: Sendable {
    /// Function that sets the options which all requests of a transport share.
    /// - Returns: a libcurl list that an option uses. The list must live as long as the request. `nil` when no option
    ///   needs a list.
    typealias Preparation = @Sendable (_ request: UnsafeMutableRawPointer, _ url: URL) -> UnsafeMutableRawPointer?

    enum Command: Sendable {
        case start(CurlTransfer)
        case drop(CurlTransfer, closesConnection: Bool)
        case goOn(CurlTransfer)
        case end
    }

    /// Queue of commands for the engine's thread. Adding a command wakes the thread.
    final class Inbox: Sendable {
        // Unchecked conformance is sound: threads other than the engine's only call `identity_curl_group_wake`, which
        // is safe on any thread.
        struct Group: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

        let group: Group
        private let commands = Locked<[Command]>([])

        init(_ group: Group) { self.group = group }

        func add(_ command: Command) {
            commands.withLock {
                $0.append(command)
                // Called under the lock, because the thread frees the group after reading the last command. The call
                // does not block.
                identity_curl_group_wake(group.pointer)
            }
        }

        func takeAll() -> [Command] { commands.exchange([]) }
    }

    private let inbox: Inbox

    /// Creates the engine with a multi handle of libcurl, and starts its thread.
    /// - Parameters:
    ///   - refusesPrivate: whether the engine refuses connections to private addresses.
    ///   - patience: how long a request tries to connect to addresses that do not answer.
    /// - Returns: `nil` when libcurl has no memory.
    init?(
        refusesPrivate: Bool, patience: Duration = ConnectionAttempts.patience, prepare: @escaping Preparation
    ) {
        guard let pointer = identity_curl_group_new(Self.maximumConnections) else { return nil }
        let inbox = Inbox(Inbox.Group(pointer: pointer))
        self.inbox = inbox
        let thread = Thread {
            CurlLoop(inbox, refusesPrivate: refusesPrivate, patience: patience, prepare: prepare).run()
        }
        thread.name = "identity-curl"
        thread.stackSize = 1 << 20
        thread.start()
    }

    deinit { inbox.add(.end) }

    /// Largest number of open connections. A request that would need another connection waits.
    private static let maximumConnections = 256

    func start(_ transfer: CurlTransfer) { inbox.add(.start(transfer)) }

    /// Ends the request of a transfer whose result no caller awaits any more.
    /// - Parameter closesConnection: whether to close the connection as well, unless other requests use it.
    func drop(_ transfer: CurlTransfer, closesConnection: Bool = false) {
        inbox.add(.drop(transfer, closesConnection: closesConnection))
    }

    /// Resumes receiving a body after a pause.
    func goOn(_ transfer: CurlTransfer) { inbox.add(.goOn(transfer)) }
}
#endif
