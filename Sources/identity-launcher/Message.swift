import Foundation

/// What this program says itself, when it can neither answer nor hand over.
enum Message {
    /// Says in one line on standard error what is wrong, and ends the process.
    static func leave(_ text: String) -> Never {
        let line = Array("identity: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
