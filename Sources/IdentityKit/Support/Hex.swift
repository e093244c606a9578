extension Sequence<UInt8> {
    /// The bytes in lower-case hexadecimal.
    package var hexEncoded: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
