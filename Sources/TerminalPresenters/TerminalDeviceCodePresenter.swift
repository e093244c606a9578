import Foundation
import IdentityKit

/// Shows the code for signing in on another device (RFC 8628 section 3.3).
struct TerminalDeviceCode: DeviceCodePresenter {
    let terminal: Terminal
    /// When this program stops waiting.
    let end: Date
    let countdown: Countdown

    /// - Parameter timeout: how long the program waits, in seconds.
    init(terminal: Terminal, timeout: Int) {
        self.terminal = terminal
        end = Date(timeIntervalSinceNow: TimeInterval(timeout))
        countdown = Countdown(terminal)
    }

    func show(_ code: DeviceCode) async throws {
        terminal.note("On any device, open \(code.verificationURI.absoluteString)")
        terminal.note("and enter the code  \(terminal.noteStyled(code.userCode, .bold))")
        let seconds = min(86_400, max(1, code.expiresAt.timeIntervalSinceNow))
        let minutes = Int((seconds / 60).rounded(.up))
        terminal.note("The code is good for \(minutes == 1 ? "a minute" : "\(minutes) minutes").")
        showPicture(of: code)
        countdown.start(until: min(end, code.expiresAt)) { left in
            code.expiresAt < end ? "The code expires in \(left)." : "Waiting for \(left) more."
        }
    }

    private func showPicture(of code: DeviceCode) {
        guard terminal.showsProgress, let complete = code.verificationURIComplete,
            let picture = QRCode(complete.absoluteString)
        else { return }
        terminal.note("or scan this:\n")
        for line in picture.lines(inColour: terminal.allowsColour) { terminal.note(line) }
    }
}
