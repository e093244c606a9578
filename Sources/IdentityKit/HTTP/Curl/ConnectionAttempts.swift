#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

/// Gives up on an address of a host that does not answer, so that the next one is tried. By itself, libcurl would spend
/// half of a request's time on a dead address.
///
/// Confined to the thread of an engine.
final class ConnectionAttempts {
    /// The time after which the next address is tried.
    static let limit = Duration.seconds(2)

    /// Callbacks for libcurl, valid for the lifetime of this object.
    let sockets: UnsafeMutablePointer<identity_curl_sockets>
    private var began: [Int32: ContinuousClock.Instant] = [:]

    init() {
        sockets = .allocate(capacity: 1)
        sockets.initialize(
            to: identity_curl_sockets(
                opened: { context, descriptor in
                    context.map(ConnectionAttempts.of)?.began[descriptor] = .now
                },
                closes: { context, descriptor in
                    context.map(ConnectionAttempts.of)?.began[descriptor] = nil
                },
                context: nil))
        sockets.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit { sockets.deallocate() }

    /// A check of the addresses that a transfer connects to. The caller frees it after the request.
    func check(of transfer: CurlTransfer) -> UnsafeMutablePointer<identity_curl_check> {
        let check = UnsafeMutablePointer<identity_curl_check>.allocate(capacity: 1)
        check.initialize(
            to: identity_curl_check(
                sockets: sockets, refuses: CurlTransfer.refuses, context: Unmanaged.passUnretained(transfer).toOpaque())
        )
        return check
    }

    func giveUpOnSlowOnes() {
        let now = ContinuousClock.now
        for (descriptor, start) in began where start.duration(to: now) >= Self.limit {
            began[descriptor] = nil
            identity_curl_socket_give_up(descriptor)
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer) -> ConnectionAttempts {
        Unmanaged<ConnectionAttempts>.fromOpaque(context).takeUnretainedValue()
    }
}
#endif
