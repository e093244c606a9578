import Foundation

extension Mirror {
    /// What `print`, `dump`, string interpolation and a debugger show of a value that holds something secret: `members`
    /// and no other.
    ///
    /// `Mirror` is what all of them ask, so one answer is enough. What a server or a setting names freely may be a secret
    /// under any name, so of that only the names are shown.
    package init<Subject>(_ subject: Subject, showing members: KeyValuePairs<String, Any>) {
        self.init(
            subject, children: members, displayStyle: .struct,
            ancestorRepresentation: .suppressed)
    }
}

extension Dictionary where Key == String {
    /// The names alone, in alphabetical order, for what is printed.
    package var namesAlone: [String] { keys.sorted() }
}

extension String {
    /// An address without what must not be shown of it: user name, password, query and fragment. Anything else stays as it
    /// is.
    package var addressAlone: String {
        let end = firstIndex { $0 == "?" || $0 == "#" } ?? endIndex
        guard let start = self[..<end].range(of: "//")?.upperBound else { return String(self[..<end]) }
        let authority = self[start..<(self[start..<end].firstIndex(of: "/") ?? end)]
        guard let at = authority.lastIndex(of: "@") else { return String(self[..<end]) }
        return String(self[..<start] + self[index(after: at)..<end])
    }
}

extension URL {
    /// The address without what must not be shown of it: user name, password, query and fragment.
    package var addressAlone: String { absoluteString.addressAlone }
}
