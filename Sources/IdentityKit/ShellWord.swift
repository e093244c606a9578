import Foundation

extension String {
    package var quotedForShell: String {
        wholeMatch(of: #/[A-Za-z0-9\/._+@%\-]+/#) != nil
            ? self : "'" + replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }
}
