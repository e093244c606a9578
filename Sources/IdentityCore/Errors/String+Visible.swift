extension String {
    /// The text with escapes such as `\u{1B}` for scalars that move a cursor, begin a line or change the text
    /// direction. Names and values in messages come from files, variables and servers.
    package var visible: String { visible(besides: []) }

    /// ``visible`` for a text that may have several lines and tabs.
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
