import Foundation

extension String {
    /// As one word of a shell, in quotes where it needs them.
    package var quotedForShell: String {
        wholeMatch(of: #/[A-Za-z0-9\/._+@%\-]+/#) != nil
            ? self : "'" + replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }
}
