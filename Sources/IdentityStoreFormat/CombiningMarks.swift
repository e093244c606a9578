/// Limits how many combining marks follow each other in a text from outside, such as a server's response.
package enum CombiningMarks {
    /// The largest number of marks in a row. The time to compare or hash a text grows with the square of this number, and no
    /// language needs more than 30 (Unicode Standard Annex #15 section 13).
    package static let limit = 256

    /// Whether a text has at most ``limit`` marks in a row.
    package static func areFew(in text: String) -> Bool {
        var count = 0
        return text.unicodeScalars.allSatisfy { scalar in
            count = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : count + 1
            return count <= limit
        }
    }
}
