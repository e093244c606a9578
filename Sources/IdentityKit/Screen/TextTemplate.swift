/// A text with placeholders for values, `%@` or `%1$@` to `%9$@`, as in a String Catalog.
///
/// The system's formatting functions are not used, because they would read arguments that do not exist if an app's text
/// has more placeholders than there are values. Here, a placeholder without a value is left out, `%%` becomes `%`, and
/// any other `%` is an ordinary character.
package struct TextTemplate: Sendable, Equatable {
    /// Texts before, between and after the placeholders; one more than there are placeholders.
    private let segments: [String]
    /// Index of the value of each placeholder, in the order of the text.
    private let places: [Int]

    package init(_ text: String) {
        let bytes = Array(text.utf8)
        var (segments, places, segment, position) = ([String](), [Int](), [UInt8](), 0)
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "%") {
                if bytes[(position + 1)...].first == UInt8(ascii: "%") {
                    segment.append(UInt8(ascii: "%"))
                    position += 2
                    continue
                }
                if let place = Self.place(in: bytes[(position + 1)...]) {
                    segments.append(String(decoding: segment, as: UTF8.self))
                    places.append((place.number ?? places.count + 1) - 1)
                    (segment, position) = ([], place.end)
                    continue
                }
            }
            segment.append(bytes[position])
            position += 1
        }
        (self.segments, self.places) = (segments + [String(decoding: segment, as: UTF8.self)], places)
    }

    /// Parses `@`, or `1$@` to `9$@`, after a `%`. Returns the number, which is `nil` for `@`, and the index after the
    /// placeholder; `nil` for any other text.
    private static func place(in bytes: ArraySlice<UInt8>) -> (number: Int?, end: Int)? {
        guard let first = bytes.first else { return nil }
        if first == UInt8(ascii: "@") { return (nil, bytes.startIndex + 1) }
        guard UInt8(ascii: "1")...UInt8(ascii: "9") ~= first, bytes.dropFirst().starts(with: "$@".utf8) else {
            return nil
        }
        return (Int(first - UInt8(ascii: "0")), bytes.startIndex + 3)
    }

    package var isPlain: Bool { places.isEmpty }

    /// Whether `other` has equally many placeholders for each value, in any order.
    package func takesSameValues(as other: TextTemplate) -> Bool { places.sorted() == other.places.sorted() }

    package func filled(with values: [String]) -> String {
        var text = segments[0]
        for (place, segment) in zip(places, segments.dropFirst()) {
            if values.indices.contains(place) { text += values[place] }
            text += segment
        }
        return text
    }

    /// Finds the values for which this template yields `text`. Each value but the last is as short as possible. `nil`
    /// if the template does not match, has no placeholder or two adjacent ones, or if placeholders for the same value
    /// match different texts.
    package func values(in text: String) -> [String]? {
        let bytes = Array(text.utf8)
        guard let start = segments.first?.utf8, let end = segments.last?.utf8, !places.isEmpty,
            bytes.count >= start.count + end.count, bytes.starts(with: start),
            bytes.reversed().starts(with: end.reversed())
        else { return nil }
        var rest = bytes[start.count..<(bytes.count - end.count)]
        var values: [Int: String] = [:]
        for (index, place) in places.enumerated() {
            let isLast = index == places.count - 1
            let value = isLast ? rest : Self.part(of: rest, before: Array(segments[index + 1].utf8))
            guard let value = value.map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
            guard values.updateValue(value, forKey: place) ?? value == value else { return nil }
            if !isLast { rest = rest.dropFirst(value.utf8.count + segments[index + 1].utf8.count) }
        }
        return (0...(places.max() ?? 0)).map { values[$0] ?? "" }
    }

    private static func part(of bytes: ArraySlice<UInt8>, before segment: [UInt8]) -> ArraySlice<UInt8>? {
        // The values of adjacent placeholders cannot be separated.
        guard !segment.isEmpty, bytes.count >= segment.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - segment.count)).first { bytes[$0...].starts(with: segment) }
            .map { bytes[..<$0] }
    }
}
