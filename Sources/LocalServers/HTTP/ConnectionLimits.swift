import Foundation
import NIOCore

/// What one connection may take from a server that strangers can reach. Every answer ends its connection.
package struct ConnectionLimits: Sendable {
    /// The most that one connection may send, head and body together, in bytes.
    package var maximumBytes: Int
    /// How many connections are open at one time. One more closes the oldest: a client that is in earnest is done soon,
    /// and one that keeps many connections open must not keep it out.
    package var maximumConnections: Int
    /// How long a connection lives, however slowly it sends or reads.
    package var deadline: Duration

    /// Limits.
    package init(maximumBytes: Int, maximumConnections: Int, deadline: Duration) {
        self.maximumBytes = maximumBytes
        self.maximumConnections = maximumConnections
        self.deadline = deadline
    }
}

/// Why an address and a port cannot be listened on, besides ``PortInUse``.
package enum ListeningRefusal: Error, Equatable {
    /// This user may not.
    case notAllowed
    /// This machine does not have the address.
    case noSuchAddress

    init?(_ error: IOError) {
        switch error.errnoCode {
        case EACCES, EPERM: self = .notAllowed
        case EADDRNOTAVAIL, EAFNOSUPPORT: self = .noSuchAddress
        default: return nil
        }
    }
}

/// Closes a connection that sends too much.
final class ByteLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var remaining: Int

    init(_ maximum: Int) { remaining = maximum }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        remaining -= unwrapInboundIn(data).readableBytes
        guard remaining >= 0 else { return context.close(promise: nil) }
        context.fireChannelRead(data)
    }
}
