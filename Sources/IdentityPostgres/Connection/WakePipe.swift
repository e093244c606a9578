#if PostgreSQL
import Foundation
import IdentityKit

/// A pipe that wakes a thread while it waits for a socket in `poll`.
final class WakePipe: Sendable {
    /// Descriptor that a thread polls besides its socket. It becomes readable when the thread is to wake.
    let reader: Int32
    private let writer: Int32
    private let turn = Locked<UInt64>(0)

    /// Creates a pipe whose ends do not block, and which other programs do not inherit.
    /// - Throws: ``PostgresError`` when there are no file descriptors left.
    init() throws(PostgresError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .unreachable("this process has too many open files") }
        (reader, writer) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// Begins a turn: a series of waits that ``wake(_:)`` ends together. Discards the wakes of earlier turns.
    /// - Returns: the number of the turn, for ``wake(_:)``.
    func beginTurn() -> UInt64 {
        turn.withLock { turn in
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(reader, &bytes, bytes.count) > 0 {}
            turn += 1
            return turn
        }
    }

    /// Ends the current and every later wait of a turn. Does nothing after another turn has begun.
    func wake(_ wanted: UInt64) {
        turn.withLock { turn in
            guard turn == wanted else { return }
            var byte: UInt8 = 1
            // Ignore a failed write: the pipe is then full, and so wakes the thread already.
            _ = write(writer, &byte, 1)
        }
    }
}
#endif
