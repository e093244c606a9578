/// An access token and its metadata in the formats that the tool `identity` and its launcher print. The launcher is a small
/// program that prints a stored token, and starts the tool if it cannot.
package struct TokenDocument {
    package var accessToken: String
    package var tokenType: String
    package var expiresAt: Date?
    package var scopes: [String]
    package var account: String
    /// The values that the session keeps from the token response, as JSON texts by their paths in the response. The
    /// launcher prints none.
    package var details: [String: String] = [:]

    package init(accessToken: String, tokenType: String, expiresAt: Date?, scopes: [String], account: String) {
        (self.accessToken, self.tokenType, self.expiresAt) = (accessToken, tokenType, expiresAt)
        (self.scopes, self.account) = (scopes, account)
    }

    /// Output formats that both the tool and the launcher can print. The other formats of the tool also need a host or a
    /// request.
    package enum Format: String {
        case raw, header, json
    }

    /// Returns the token in a format, without a final line end.
    package func text(in format: Format) -> String {
        switch format {
        case .raw: accessToken
        case .header: "Authorization: \(tokenType) \(accessToken)"
        case .json: json
        }
    }

    /// The document as a JSON object, with one member per line. The code does not use Foundation's encoder, because
    /// starting the encoder would slow the launcher down.
    package var json: String {
        var members = [("accessToken", Self.quoted(accessToken)), ("account", Self.quoted(account))]
        if !details.isEmpty {
            let parts = details.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)) : \($0.value)" }
            members.append(("details", "{" + parts.joined(separator: ", ") + "}"))
        }
        if let expiresAt { members.append(("expiresAt", Self.quoted(Self.text(of: expiresAt)))) }
        members.append(("scopes", "[" + scopes.sorted().map(Self.quoted).joined(separator: ", ") + "]"))
        members.append(("tokenType", Self.quoted(tokenType)))
        let lines = members.map { name, value in "  \"\(name)\" : \(value)" }
        return "{\n" + lines.joined(separator: ",\n") + "\n}"
    }

    /// JSON string literal of a text (RFC 8259 section 7).
    private static func quoted(_ text: String) -> String {
        var escaped = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                escaped.unicodeScalars.append("\\")
                escaped.unicodeScalars.append(scalar)
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped + "\""
    }

    /// Returns the ISO 8601 text of a date in UTC, rounded down to whole seconds. Days are counted in eras of 400 years
    /// that begin on March 1, so that a leap day is the last day of its year.
    private static func text(of date: Date) -> String {
        // Replace a date outside of the years 1 to 9999 with the nearest date in them, because a year has four digits.
        let seconds = Int(min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799).rounded(.down))
        let (day, second) = quotient(seconds, by: 86_400)
        let (era, dayOfEra) = quotient(day + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let time = [second / 3600, second / 60 % 60, second % 60].map { digits($0, 2) }.joined(separator: ":")
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(dayOfMonth, 2))T\(time)Z"
    }

    /// Returns the quotient, rounded down, and the remainder, which is not negative.
    private static func quotient(_ number: Int, by divisor: Int) -> (Int, Int) {
        let rest = (number % divisor + divisor) % divisor
        return ((number - rest) / divisor, rest)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
