extension String {
    /// The text without the requests to sign in at its end, for a message that adds its own request.
    package var withoutSignInRequest: String {
        var text = Substring(self)
        while true {
            while text.last == " " { text.removeLast() }
            guard let request = ["Sign in again.", "Sign in first."].first(where: text.hasSuffix) else {
                return String(text)
            }
            text.removeLast(request.count)
        }
    }

    package var withoutFinalPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// Texts that say that a session has ended, with this string as the reason. A request to sign in at the end of the reason is
/// left out, because messages add their own. If nothing else is left, the text says "the server gave no reason".
extension String {
    /// A clause that says that `session` has ended and why.
    package func clause(onEndOf session: String) -> String {
        let reason = withoutSignInRequest
        return "\(session) has ended: \(reason.isEmpty ? "the server gave no reason" : reason)"
    }

    /// A message that says that `session` has ended, why, and what to do.
    package func message(onEndOf session: String) -> String {
        let text = clause(onEndOf: session)
        let isSentence = text.last.map { ".!?".contains($0) } ?? true
        return "\(text)\(isSentence ? "" : ".") Sign in again."
    }
}
