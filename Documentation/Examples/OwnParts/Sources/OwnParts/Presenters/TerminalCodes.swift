import Foundation
import IdentityKit

/// Shows codes for a sign-in on another device, and questions that a person confirms there.
public struct TerminalCodes: DeviceCodePresenter {
    let terminal: Terminal

    public init(_ terminal: Terminal) { self.terminal = terminal }

    public func show(_ code: DeviceCode) async throws {
        if let notice = code.notice { terminal.show(notice) }
        terminal.show("Enter \(code.userCode) at \(code.verificationURI)")
        if let whole = code.verificationURIComplete { terminal.show("or open \(whole)") }
        terminal.show("before \(code.expiresAt.ISO8601Format()).")
    }

    public func showConfirmation(to recipient: String?, bindingMessage: String, expiresAt: Date) async throws {
        terminal.show("\(recipient ?? "You") will be asked: \(bindingMessage)")
        terminal.show("Answer before \(expiresAt.ISO8601Format()).")
    }
}
