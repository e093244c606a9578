import Foundation

/// A child that a signal stops.
package enum StoppedProcess {
    /// Waits until the kernel has stopped the child, or it has ended.
    package static func wait(for child: Int32) async {
        await withCheckedContinuation { continuation in
            // A thread of its own: this blocks. What is learnt stays to be learnt by whoever waits for the end.
            Thread.detachNewThread {
                var information = siginfo_t()
                while waitid(P_PID, id_t(child), &information, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
                continuation.resume()
            }
        }
    }
}
