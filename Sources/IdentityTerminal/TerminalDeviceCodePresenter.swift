import Foundation
import IdentityKit

/// Shows at the terminal how to sign in on another device (RFC 8628 section 3.3): the address, the user code, a
/// countdown, and a QR code if the server sends an address that contains the user code.
///
/// All text goes to standard error. When standard error is no terminal, colors, QR code and countdown are left out. Setting
/// `NO_COLOR` removes the colors, and a `TERM` of `dumb` removes the colors and the countdown.
public struct TerminalDeviceCodePresenter: DeviceCodePresenter {
    private let terminal: Terminal
    /// Time at which the program stops waiting; `nil` when the program waits until the user code expires, or with OpenID
    /// Connect CIBA until the message expires in which the person confirms the sign-in.
    private let end: Date?
    private let countdown: Countdown
    private let time: TimeSource

    /// Creates a presenter for the program's terminal.
    /// - Parameter timeout: the time from this call until the program stops waiting; `nil` when the program waits until
    ///   the user code or the confirmation message expires. If `timeout` ends earlier than the code or message, the
    ///   countdown shows the rest of `timeout`.
    public init(timeout: Duration? = nil) {
        self.init(terminal: Terminal(), timeout: timeout, time: .system)
    }

    package init(terminal: Terminal, timeout: Duration?, time: TimeSource) {
        (self.terminal, self.time) = (terminal, time)
        end = timeout.map { time.now + $0 / .seconds(1) }
        countdown = Countdown(terminal, time: time)
    }

    /// Stops the countdown. Call this function when the sign-in has succeeded or failed.
    public func stop() async {
        await countdown.stop()
    }

    /// Shows the address, the user code and a countdown. Also shows a QR code if the server sends an address that
    /// contains the user code.
    /// - Throws: no errors. Failures to write are ignored, and a QR code that does not fit is left out.
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

    /// Shows the recipient and the text of the message in which the person confirms the sign-in, and a countdown
    /// (OpenID Connect CIBA).
    /// - Throws: no errors. Failures to write are ignored.
    public func showConfirmation(to recipient: String?, bindingMessage: String, expiresAt: Date) async throws {
        terminal.note("A message was sent to \(recipient ?? "you"). Confirm the sign-in there.")
        terminal.note("It says  \(terminal.noteStyled(bindingMessage, .bold))")
        count(downTo: expiresAt) { "The message expires in \($0)." }
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
