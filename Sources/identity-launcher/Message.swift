import IdentityStoreFormat

enum Message {
    /// Prints `text` on standard error, and ends the process with status 1.
    static func leave(_ text: String) -> Never {
        let line = Array("identity: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
