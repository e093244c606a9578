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
