/// A color with its text in the form `#RRGGBB`.
package struct ColorText: Sendable, Hashable {
    /// The shares of red, green and blue, from 0 to 1.
    package let red: Double
    package let green: Double
    package let blue: Double
    package let text: String

    /// Reads `#RRGGBB` or `#RGB`; `nil` for any other text. In `#RGB`, each digit stands for two equal digits.
    package init?(_ text: String) {
        guard text.utf8.count == 4 || text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#") else { return nil }
        let digits = text.dropFirst().compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count == text.utf8.count - 1 else { return nil }
        let bytes =
            digits.count == 3
            ? digits.map { $0 * 17 } : stride(from: 0, to: 6, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
        self.init(bytes: bytes)
    }

    /// Creates a color from its hue in degrees, from 0 up to 360, and its saturation and lightness from 0 to 1.
    init(hue: Double, saturation: Double, lightness: Double) {
        let chroma = (1 - abs(2 * lightness - 1)) * saturation
        let share = { (offset: Double) -> Int in
            // The hue in sixths of the circle, counted from the hue at which this component is greatest.
            let position = (hue / 60 + offset).truncatingRemainder(dividingBy: 6)
            let amount = min(max(abs(position - 3) - 1, 0), 1)
            return Int(((lightness + chroma * (amount - 0.5)) * 255).rounded())
        }
        self.init(bytes: [share(0), share(4), share(2)])
    }

    private init(bytes: [Int]) {
        red = Double(bytes[0]) / 255
        green = Double(bytes[1]) / 255
        blue = Double(bytes[2]) / 255
        let digits = Array("0123456789abcdef")
        text = bytes.reduce(into: "#") { text, byte in
            text.append(digits[(byte >> 4) & 15])
            text.append(digits[byte & 15])
        }
    }
}
