/// Repeats a system call while a signal interrupts it. In user-space and network file systems that happens to any call.
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        guard result == -1, errno == EINTR else { return result }
    }
}
