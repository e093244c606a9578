// The installed `identity`: a small program that starts in a millisecond, for scripts that need tokens in a loop. It prints a
// valid token that is in the store itself, and runs the whole tool for everything else.

import CoreDumps

core_dumps_forbid()
if let command = TokenCommandLine(), let token = StoredToken(for: command) {
    token.print(in: command.format)
}
WholeTool.takeOver()
