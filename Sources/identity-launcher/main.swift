// The installed `identity`: a small program that starts in a millisecond, for scripts that need tokens in a loop. The
// launcher itself prints a valid token that is in the store, and runs the full tool (`Tool`) for everything else.

import CIdentitySystem
import IdentityStoreFormat

core_dumps_forbid()
if let command = TokenCommandLine(), let place = command.shortcut {
    printStoredToken(for: command, at: place)
}
Tool.replaceProcess()

/// Prints a token from the store, or one that another process is about to store, and ends the process. Returns when the
/// full tool has to run.
func printStoredToken(for command: TokenCommandLine, at place: TokenShortcut.Place) {
    func printFresh() {
        if case .fresh(let token) = StoredToken.find(for: command, at: place) { token.print(in: command.format) }
    }
    switch StoredToken.find(for: command, at: place) {
    case .fresh(let token): token.print(in: command.format)
    case .due(let valid):
        guard let turn = RefreshTurn(at: place) else { return }
        if !turn.isOurs {
            // Do not wait for a new token while the current one is valid.
            valid?.print(in: command.format)
            turn.wait()
        }
        // Look again, because another process may have refreshed the token before this launcher took the lock or while
        // it waited.
        printFresh()
    case .unknown: return
    }
}
