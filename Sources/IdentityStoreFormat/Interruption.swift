/// Repeats a system call as long as signals interrupt it, which may happen to any call in user-space and network file
/// systems.
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        guard result == -1, errno == EINTR else { return result }
    }
}
