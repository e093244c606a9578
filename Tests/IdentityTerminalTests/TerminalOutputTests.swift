import Foundation
import TestSupport
import Testing

@testable import IdentityTerminal

/// Output to a file.
@Suite(.endsInTime) struct TerminalOutputTests {
    @Test("An output that a program has set not to block takes every byte, however late its reader is")
    func withoutBlocking() async throws {
        let pipe = Pipe()
        let (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        #expect(fcntl(writer.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        let (ends, end) = AsyncStream<Data>.makeStream()
        Thread.detachNewThread {
            // The reader begins when the pipe takes no more.
            var room = pollfd(fd: writer.fileDescriptor, events: Int16(POLLOUT), revents: 0)
            while poll(&room, 1, 0) > 0, room.revents == Int16(POLLOUT) { sched_yield() }
            end.yield((try? reader.readToEnd()) ?? Data())
            end.finish()
        }
        let data = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0) })
        let written = Result { try TerminalOutput(writer).write(data) }
        try writer.close()
        var read = Data()
        for await part in ends { read += part }
        try written.get()
        #expect(read == data)
    }
}
