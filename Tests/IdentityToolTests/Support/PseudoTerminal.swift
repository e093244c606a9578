import Foundation
import IdentityKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A terminal without a screen: what a program shows there is read, and what a person would type is typed.
final class PseudoTerminal: TextShowing {
    /// The program's side.
    let device: FileHandle

    let shown = ShownText()

    private let master: FileHandle
    private let end: Task<Void, Never>

    /// Opens a terminal.
    init() throws {
        let master = Self.openMaster()
        guard master >= 0, let name = Self.deviceName(of: master) else { throw CocoaError(.fileReadUnknown) }
        let device = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard device >= 0 else { throw CocoaError(.fileReadUnknown) }
        self.master = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        self.device = FileHandle(fileDescriptor: device, closeOnDealloc: true)
        let (ends, endingEnds) = AsyncStream<Void>.makeStream()
        end = Task { for await _ in ends {} }
        // The thread keeps the handle: a number that is closed under it would be another test's pipe a moment later.
        Thread.detachNewThread { [shown, handle = self.master] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                // The program's side is closed: EIO on Linux, the end elsewhere.
                guard count > 0 else { break }
                shown.append(buffer[..<count])
            }
            shown.end()
            endingEnds.finish()
        }
    }

    /// Waits until every program has closed the terminal, and everything that was shown is in ``text``.
    func ends() async { await end.value }

    /// Waits for `question`, and types `line`.
    func answers(_ question: String, with line: String) async {
        await waits(for: question)
        type(line)
    }

    /// Types a line.
    func type(_ line: String) { press(line + "\n") }

    /// Types characters, which are shown but read by nobody before the end of their line.
    func press(_ keys: String) { master.write(Data(keys.utf8)) }

    /// Whether what is typed is shown.
    var echoes: Bool {
        var settings = termios()
        return tcgetattr(master.fileDescriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Waits until what is typed is not shown any more.
    func hidesInput() async { await waits(untilEchoing: false) }

    /// Waits until what is typed is shown again.
    func showsInput() async { await waits(untilEchoing: true) }

    private func waits(untilEchoing wanted: Bool) async {
        let isGivenUp = Locked(false)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A thread of its own looks again and again: nobody tells when a terminal's settings change.
                Thread.detachNewThread { [self] in
                    while echoes != wanted, !isGivenUp.withLock({ $0 }) { sched_yield() }
                    continuation.resume()
                }
            }
        } onCancel: {
            isGivenUp.withLock { $0 = true }
        }
    }

    /// Presses Ctrl-S: whoever shows something from now on waits.
    func holdOutput() { master.write(Data([0x13])) }

    /// Presses Ctrl-Q.
    func resumeOutput() { master.write(Data([0x11])) }

    /// Lets go of the program's side, so that the output ends with the program.
    func release() { try? device.close() }

    #if canImport(Darwin)
    private static func openMaster() -> Int32 { posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) }

    private static func deviceName(of master: Int32) -> String? {
        guard grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else { return nil }
        return String(cString: name)
    }
    #else
    // The C library's functions are hidden behind a macro that Swift's import does not set; these are what they do.
    private static let unlock: UInt = 0x4004_5431  // TIOCSPTLCK
    private static let number: UInt = 0x8004_5430  // TIOCGPTN

    private static func openMaster() -> Int32 { open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC) }

    private static func deviceName(of master: Int32) -> String? {
        var (isLocked, index) = (Int32(0), Int32(0))
        guard ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &index) == 0 else { return nil }
        return "/dev/pts/\(index)"
    }
    #endif
}
