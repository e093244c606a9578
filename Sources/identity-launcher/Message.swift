import IdentityStoreFormat

enum Message {
    /// Prints a line on standard error, and ends the process.
    static func leave(_ text: String) -> Never {
        let line = Array("identity: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
