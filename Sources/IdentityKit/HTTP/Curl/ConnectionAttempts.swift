#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

/// Ends a connection attempt that takes longer than ``limit``, so that libcurl tries the next address of the host. By
/// itself, libcurl would spend half of its timeout for connecting on an address that does not answer.
///
/// Used only on the thread of a ``CurlEngine``.
final class ConnectionAttempts {
    static let limit = Duration.seconds(2)
    /// Time after which a request without a connection no longer starts again with the first address of the host.
    static let patience = Duration.seconds(30)

    /// Callbacks by which libcurl reports that it opens and closes sockets; valid for the lifetime of this object.
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

    /// Returns a check by which libcurl refuses private addresses for `transfer`. The caller frees the check after
    /// the request.
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
