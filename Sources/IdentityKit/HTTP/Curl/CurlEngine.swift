#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

/// The thread on which libcurl sends the requests of a transport, from the first one on.
final class CurlEngine: Sendable {
    /// Sets what all requests of a transport have in common.
    /// - Returns: a list that must live as long as the request.
    typealias Preparation = @Sendable (_ request: UnsafeMutableRawPointer, _ url: URL) -> UnsafeMutableRawPointer?

    enum Command: Sendable {
        case start(CurlTransfer)
        case drop(CurlTransfer)
        case goOn(CurlTransfer)
        case end
    }

    /// Commands for the thread, and what wakes it.
    final class Inbox: Sendable {
        // Unchecked is sound: other threads than the engine's only call `identity_curl_group_wake`, which any may.
        struct Group: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

        let group: Group
        private let commands = Locked<[Command]>([])

        init(_ group: Group) { self.group = group }

        func add(_ command: Command) {
            commands.withLock {
                $0.append(command)
                // Under the lock, because the thread frees the group once it has read the last command. It does not wait.
                identity_curl_group_wake(group.pointer)
            }
        }

        func takeAll() -> [Command] { commands.exchange([]) }
    }

    private let inbox: Inbox

    /// - Parameter refusesPrivate: whether it connects to no private address.
    /// - Returns: `nil` when libcurl has no memory.
    init?(refusesPrivate: Bool, prepare: @escaping Preparation) {
        guard let pointer = identity_curl_group_new(Self.maximumConnections) else { return nil }
        let inbox = Inbox(Inbox.Group(pointer: pointer))
        self.inbox = inbox
        let thread = Thread { CurlLoop(inbox, refusesPrivate: refusesPrivate, prepare: prepare).run() }
        thread.name = "identity-curl"
        thread.stackSize = 1 << 20
        thread.start()
    }

    deinit { inbox.add(.end) }

    /// Of all requests at once; others wait.
    private static let maximumConnections = 256

    func start(_ transfer: CurlTransfer) { inbox.add(.start(transfer)) }

    /// Ends a transfer whose caller has its result.
    func drop(_ transfer: CurlTransfer) { inbox.add(.drop(transfer)) }

    /// Takes more of a body after a pause.
    func goOn(_ transfer: CurlTransfer) { inbox.add(.goOn(transfer)) }
}
#endif
