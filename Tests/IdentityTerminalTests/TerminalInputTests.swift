import Foundation
import TestSupport
import Testing

@testable import IdentityTerminal

/// Input from a file.
@Suite(.endsInTime) struct TerminalInputTests {
    @Test("An input that a program has set not to block ends only where its writer ends it", arguments: [false, true])
    func withoutBlocking(isWhole: Bool) async throws {
        let pipe = Pipe()
        let (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        #expect(fcntl(reader.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        try writer.write(contentsOf: Data("a".utf8))
        async let text = Self.text(of: TerminalInput(reader), isWhole: isWhole)
        // The rest is written when the reader has read the beginning, and finds nothing.
        var unread = pollfd(fd: reader.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while poll(&unread, 1, 0) > 0 { await Task.yield() }
        try writer.write(contentsOf: Data("da\n".utf8))
        try writer.close()
        let read = try await text
        #expect(read == (isWhole ? "ada\n" : "ada"))
    }

    private static func text(of input: TerminalInput, isWhole: Bool) async throws -> String? {
        guard isWhole else { return try await input.line() }
        return String(decoding: try await input.all(), as: UTF8.self)
    }
}
