// The installed `identity`: a small program that starts in a millisecond, for scripts that need tokens in a loop. It prints a
// valid token that is in the store itself, and runs the whole tool for everything else.

import CIdentitySystem
import IdentityStoreFormat

core_dumps_forbid()
if let command = TokenCommandLine(), let place = command.shortcut {
    printStoredToken(for: command, at: place)
}
Tool.replaceProcess()

/// Prints a token that is in the store, also one that another process is about to store, and ends the process. Returns when
/// the whole tool has to run.
func printStoredToken(for command: TokenCommandLine, at place: TokenShortcut.Place) {
    func printFresh() {
        if case .fresh(let token) = StoredToken.find(for: command, at: place) { token.print(in: command.format) }
    }
    switch StoredToken.find(for: command, at: place) {
    case .fresh(let token): token.print(in: command.format)
    case .due(let valid):
        guard let turn = RefreshTurn(at: place) else { return }
        if !turn.isOurs {
            // A token that is still valid does not wait for the one after it.
            valid?.print(in: command.format)
            turn.wait()
        }
        // The token may have been refreshed between the look and the lock.
        printFresh()
    case .unknown: return
    }
}
