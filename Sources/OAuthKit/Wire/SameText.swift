/// Identifiers of the protocols are compared byte for byte (RFC 8259 section 8.3, RFC 7519 section 2). Swift's `==` takes
/// different spellings of one Unicode text for equal, so `K` and the Kelvin sign would be one.
extension String {
    /// Whether both are the same bytes.
    func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Sequence<String> {
    /// Whether one of the elements is `text`, byte for byte.
    func containsText(_ text: String) -> Bool { contains { $0.isSameText(as: text) } }
}
