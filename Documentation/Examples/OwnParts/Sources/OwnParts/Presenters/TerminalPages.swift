import Foundation
import IdentityKit

/// Lets a person open the sign-in page anywhere, and paste the address that it ends at.
public struct TerminalPages: WebAuthenticator {
    let terminal: Terminal

    public init(_ terminal: Terminal) { self.terminal = terminal }

    /// Asks again after an address of another sign-in.
    public func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        if let notice = request.notice { terminal.show(notice) }
        terminal.show("Open \(request.url) and paste the address that begins with \(request.redirectURI).")
        while let pasted = await terminal.ask("Address: ", false) {
            if let callback = URL(string: pasted), request.isResponse(callback) { return callback }
            terminal.show("That is not the end of this sign-in.")
        }
        throw CancellationError()
    }

    public func redirectURI(for registered: URL) async throws -> URL {
        guard registered.scheme != nil else { throw WebAuthenticationError.unsupportedRedirect("it has no scheme") }
        return registered
    }
}
