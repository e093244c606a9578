extension String {
    /// The text in which an escape such as `\u{1B}` replaces each scalar that moves a cursor, begins a line or changes
    /// the text direction. Names and values in messages come from files, variables and servers, and must not control
    /// the user's terminal.
    package var visible: String { visible(besides: []) }

    /// The text with the same escapes as ``visible``, except that line feeds and tabs stay.
    package var visibleLines: String { visible(besides: ["\n", "\t"]) }

    private func visible(besides kept: Set<Unicode.Scalar>) -> String {
        func isHidden(_ scalar: Unicode.Scalar) -> Bool { scalar.steersTerminals && !kept.contains(scalar) }
        guard unicodeScalars.contains(where: isHidden) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if isHidden(scalar) {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var steersTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: properties.isBidiControl
        default: false
        }
    }
}
