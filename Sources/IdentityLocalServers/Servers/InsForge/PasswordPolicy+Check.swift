extension LocalInsForgeServer.PasswordPolicy {
    /// Checks that `password` meets all requirements of the policy.
    /// - Throws: ``InsForgeServerError`` with status 400, which lists all requirements, not only the unmet ones.
    func check(_ password: String) throws {
        func contains(_ required: Bool, _ accepts: (UInt8) -> Bool) -> Bool {
            !required || password.utf8.contains(where: accepts)
        }
        let isAccepted =
            password.utf16.count >= passwordMinLength
            && contains(requireNumber) { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && contains(requireLowercase) { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            && contains(requireUppercase) { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            && contains(requireSpecialChar) { Self.specialCharacters.contains($0) }
        guard isAccepted else { throw InsForgeServerError.invalidInput(requirements) }
    }

    private var requirements: String {
        "Password must contain at least \(passwordMinLength) characters long"
            + (requireNumber ? ", at least one number" : "")
            + (requireLowercase ? ", at least one lowercase letter" : "")
            + (requireUppercase ? ", at least one uppercase letter" : "")
            + (requireSpecialChar ? ", at least one special character" : "")
    }

    /// The server's special characters. Quotes, colon, tilde and backtick are not among them.
    private static let specialCharacters = Set(#"!@#$%^&*()_+-=[]{};\|,.<>/?"#.utf8)
}
