extension String {
    /// The text without the request to sign in that it ends with, for a message that says itself what to do.
    package var withoutSignInRequest: String {
        for request in [" Sign in again.", " Sign in first."] where hasSuffix(request) {
            return String(dropLast(request.count))
        }
        return self
    }

    /// The text as part of a sentence that goes on, or ends, by itself.
    package var withoutFinalPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
