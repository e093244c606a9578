import Foundation
import IdentityTerminal

extension Terminal {
    /// How many characters a line of prose has: what the terminal has room for, or `COLUMNS` says, from 24 to 80.
    var columns: Int {
        let wanted = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init)
        return min(max(wanted ?? Self.windowColumns ?? 80, 24), 80)
    }

    /// The columns of the terminal that standard output is; `nil` where it is none, or does not say.
    private static var windowColumns: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
