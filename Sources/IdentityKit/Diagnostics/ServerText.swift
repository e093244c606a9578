extension String {
    /// A text a server or a callback chose, fit for a message to a person: one line, of a bearable length, without
    /// tokens.
    /// - Parameter fallback: what to say when nothing is left.
    package func asServerText(or fallback: String) -> String {
        let line = split { $0.isNewline || $0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
            .joined(separator: " ")
            .withoutTokens
        guard !line.isEmpty else { return fallback }
        return line.count > 200 ? line.prefix(200) + "…" : line
    }

    /// The text without what looks like a secret, and without anything long enough to be a token, a code or a verifier,
    /// which the other side may repeat under no name at all.
    package var withoutTokens: String {
        ScrubbedText.scrub(self).replacing(/[A-Za-z0-9_.~\-]{40,}/, with: "...")
    }
}
