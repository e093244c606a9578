import Foundation
import IdentityKit
import IdentityTerminal

/// Prints messages to the terminal while the browser shows the page of a sign-in.
struct LoginPage: Sendable {
    let call: ToolCall
    let keyboard: Keyboard
    /// The provider to name, with `--provider`, in the advice to sign in on another device; `nil` to name none.
    let provider: String?

    /// Reads the redirect address that a person pastes from a browser on another machine, because that browser cannot be
    /// redirected to this machine. `nil` unless the tool runs in the foreground of a terminal.
    var paste: (@Sendable () async throws -> String)? {
        guard keyboard.isInForeground else { return nil }
        return { [keyboard] in try await keyboard.line(echo: true) }
    }

    func report(_ event: LoopbackEvent) {
        let terminal = call.terminal
        switch event {
        case .notice(let text): terminal.note(text)
        case .page(let page, let attempts): report(page, attempts)
        case .browserFailed(let attempts):
            if let tried = attempts.inWords { terminal.note(tried) }
            if attempts.started == nil { adviseWithoutBrowser() }
        case .unconfirmed(let code):
            terminal.note(
                "Somebody reported \(code), unconfirmed: every page and program can. The sign-in goes on. If it is over for "
                    + "you, press \"Stop waiting\" on the page, or Ctrl-C here.")
        case .unusablePaste: terminal.note("This is not the address that the sign-in returns to.")
        }
    }

    private func report(_ page: URL, _ attempts: BrowserAttempts) {
        let (terminal, isOpen) = (call.terminal, attempts.started != nil)
        terminal.note(isOpen ? "Your browser opens. If it does not, open this page:" : "Open this page to sign in:")
        terminal.note("  \(page.absoluteString)")
        if let tried = attempts.inWords { terminal.note(tried) }
        if !isOpen { adviseWithoutBrowser() }
    }

    private func adviseWithoutBrowser() {
        let terminal = call.terminal
        if isRemote {
            let named = provider.map { " --provider \($0.quotedForShell)" } ?? ""
            terminal.note(
                call.place.completing("Without a browser here, sign in with: identity login --device" + named))
        }
        if paste != nil {
            terminal.note("If your browser cannot return here, paste the address that it shows in the end.")
        }
    }

    /// Whether the person uses this machine over SSH and without a display.
    private var isRemote: Bool {
        func has(_ names: String...) -> Bool { names.contains { call.variables[$0]?.isEmpty == false } }
        return has("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY") && !has("DISPLAY", "WAYLAND_DISPLAY")
    }
}
