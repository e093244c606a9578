extension String {
    /// The text without the requests to sign in that it ends with, for a message that says itself what to do.
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

    /// The text as part of a sentence that goes on, or ends, by itself.
    package var withoutFinalPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
