extension String {
    /// Whether both are the same code points. `==` also takes different spellings of a character for the same (Unicode
    /// canonical equivalence), and two people, two clients or two records must not become one by that.
    package func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Hasher {
    /// Feeds the bytes of a text, and where it ends.
    mutating func combine(bytesOf text: String) {
        for byte in text.utf8 { combine(byte) }
        // No byte of UTF-8.
        combine(UInt8.max)
    }
}
