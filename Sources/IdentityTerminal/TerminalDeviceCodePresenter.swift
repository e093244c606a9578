import Foundation
import IdentityKit

/// Shows the code for a sign-in on another device at the terminal (RFC 8628 section 3.3): the address, the code, a QR
/// code of both, and a countdown.
///
/// Everything goes to standard error, without colors under `NO_COLOR` or on a terminal that has none, and without a
/// countdown in a file.
public struct TerminalDeviceCodePresenter: DeviceCodePresenter {
    private let terminal: Terminal
    /// When the program stops waiting; `nil` when that is the expiry of the code.
    private let end: Date?
    private let countdown: Countdown
    private let time: TimeSource

    /// Presents codes on the program's terminal.
    /// - Parameter timeout: how long the program waits, for the countdown; `nil` for as long as the code is valid.
    public init(timeout: Duration? = nil) {
        self.init(terminal: Terminal(), timeout: timeout, time: .system)
    }

    package init(terminal: Terminal, timeout: Duration?, time: TimeSource) {
        (self.terminal, self.time) = (terminal, time)
        end = timeout.map { time.now + $0 / .seconds(1) }
        countdown = Countdown(terminal, time: time)
    }

    /// Ends the countdown. Call it once the sign-in has ended.
    public func stop() async {
        await countdown.stop()
    }

    /// Shows the address and the code.
    /// - Throws: nothing; what a terminal cannot show is left out.
    public func show(_ code: DeviceCode) async throws {
        if let notice = code.notice { terminal.note(notice) }
        terminal.note("On any device, open \(code.verificationURI.absoluteString)")
        terminal.note("and enter the code  \(terminal.noteStyled(code.userCode, .bold))")
        let seconds = min(86_400, max(1, code.expiresAt.timeIntervalSince(time.now)))
        let minutes = Int((seconds / 60).rounded(.up))
        terminal.note("The code is good for \(minutes == 1 ? "a minute" : "\(minutes) minutes").")
        showPicture(of: code)
        count(downTo: code.expiresAt) { "The code expires in \($0)." }
    }

    /// Describes the message to look for.
    /// - Throws: nothing; what a terminal cannot show is left out.
    public func show(_ confirmation: PendingConfirmation) async throws {
        terminal.note("A message was sent to \(confirmation.recipient ?? "you"). Confirm the sign-in there.")
        terminal.note("It says  \(terminal.noteStyled(confirmation.bindingMessage, .bold))")
        count(downTo: confirmation.expiresAt) { "The message expires in \($0)." }
    }

    private func count(downTo expiry: Date, _ text: @escaping @Sendable (String) -> String) {
        let last = min(end ?? expiry, expiry)
        countdown.start(until: last) { left in
            expiry <= last ? text(left) : "Waiting for \(left) more."
        }
    }

    private func showPicture(of code: DeviceCode) {
        guard terminal.showsProgress, let complete = code.verificationURIComplete,
            let picture = QRCode(complete.absoluteString), picture.width <= terminal.noteColumns ?? .max
        else { return }
        terminal.note("or scan this:\n")
        for line in picture.lines(inColour: terminal.allowsColour) { terminal.picture(line) }
    }
}
