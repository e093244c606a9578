/// A QR code of a short text (ISO/IEC 18004), for views and terminals.
package struct QRCode: Sendable {
    /// Whether each module is dark, row by row.
    package internal(set) var modules: [[Bool]]
    var isReserved: [[Bool]]
    let version: QRVersion

    /// Encodes `text`; `nil` when it is longer than 230 bytes of UTF-8.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.holding(bytes.count) else { return nil }
        self.version = version
        modules = Array(repeating: Array(repeating: false, count: version.size), count: version.size)
        isReserved = modules
        drawPatterns()
        drawCodewords(version.codewords(for: bytes))
        let candidates = (0..<8).map(masked)
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        modules = best.modules
    }

    /// Width in modules of the light margin that scanners need.
    package static let margin = 4

    /// Width of the picture in modules, with both margins.
    package var width: Int { modules.count + 2 * Self.margin }

    /// Adjacent dark modules in a row.
    package struct Run: Equatable, Sendable {
        /// The row, counted from the upper edge of the margin.
        package let row: Int
        /// The columns, counted from the left edge of the margin.
        package let columns: Range<Int>
    }

    /// The dark modules, row by row from left to right.
    package var runs: [Run] {
        modules.enumerated().flatMap { index, row in
            var (runs, start) = ([Run](), Int?.none)
            for column in 0...row.count {
                let isDark = column < row.count && row[column]
                if isDark, start == nil { start = column }
                if !isDark, let first = start {
                    runs.append(Run(row: index + Self.margin, columns: first + Self.margin..<column + Self.margin))
                    start = nil
                }
            }
            return runs
        }
    }

    private mutating func drawPatterns() {
        let size = version.size
        for index in 0..<size {
            draw(index % 2 == 0, at: 6, index)
            draw(index % 2 == 0, at: index, 6)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { drawSquare(row, column, radius: 4) }
        for row in version.alignment {
            for column in version.alignment where !isCorner(row, column) { drawSquare(row, column, radius: 2) }
        }
        drawFormat(mask: 0)
        drawVersion()
    }

    /// Whether an alignment pattern at this position would overlap the finder in a corner.
    private func isCorner(_ row: Int, _ column: Int) -> Bool {
        let last = version.size - 7
        return (row, column) == (6, 6) || (row, column) == (6, last) || (row, column) == (last, 6)
    }

    /// Draws an alignment pattern (radius 2), or a finder with its light border (radius 4), around a center module.
    private mutating func drawSquare(_ row: Int, _ column: Int, radius: Int) {
        for rowOffset in -radius...radius {
            for columnOffset in -radius...radius {
                let (row, column) = (row + rowOffset, column + columnOffset)
                guard modules.indices.contains(row), modules.indices.contains(column) else { continue }
                let ring = max(abs(rowOffset), abs(columnOffset))
                draw(radius == 2 ? ring != 1 : ring != 2 && ring != 4, at: row, column)
            }
        }
    }

    /// Draws the format information, which is the error correction level and the mask, twice (ISO/IEC 18004 section
    /// 7.9).
    mutating func drawFormat(mask: Int) {
        let level = 0b01
        let bits = Self.protected(level << 3 | mask, by: 0b101_0011_0111, length: 10) ^ 0b101_0100_0001_0010
        let size = version.size
        for index in 0..<15 {
            let isDark = bits >> index & 1 == 1
            switch index {
            case 0...5: draw(isDark, at: index, 8)
            case 6...7: draw(isDark, at: index + 1, 8)
            case 8: draw(isDark, at: 8, 7)
            default: draw(isDark, at: 8, 14 - index)
            }
            if index < 8 { draw(isDark, at: 8, size - 1 - index) } else { draw(isDark, at: size - 15 + index, 8) }
        }
        draw(true, at: size - 8, 8)
    }

    /// Draws the version number twice, from version 7 on (ISO/IEC 18004 section 7.10).
    private mutating func drawVersion() {
        guard version.number >= 7 else { return }
        let bits = Self.protected(version.number, by: 0b1_1111_0010_0101, length: 12)
        for index in 0..<18 {
            let (short, long) = (index / 3, version.size - 11 + index % 3)
            draw(bits >> index & 1 == 1, at: short, long)
            draw(bits >> index & 1 == 1, at: long, short)
        }
    }

    /// `value` followed by `length` check bits: the remainder of its polynomial division by `divisor`.
    private static func protected(_ value: Int, by divisor: Int, length: Int) -> Int {
        var remainder = value
        for _ in 0..<length { remainder = remainder << 1 ^ (remainder >> (length - 1) & 1) * divisor }
        return value << length | remainder
    }

    private mutating func draw(_ isDark: Bool, at row: Int, _ column: Int) {
        modules[row][column] = isDark
        isReserved[row][column] = true
    }

    /// Draws the codewords in columns of two modules, alternately upward and downward, from the right edge to the left
    /// (ISO/IEC 18004 section 7.7.3).
    private mutating func drawCodewords(_ codewords: [UInt8]) {
        var index = 0
        var isUpward = true
        for pair in stride(from: version.size - 1, to: 0, by: -2) {
            // Skip the column of the vertical timing pattern.
            let right = pair <= 6 ? pair - 1 : pair
            for step in 0..<version.size {
                let row = isUpward ? version.size - 1 - step : step
                for column in [right, right - 1] where !isReserved[row][column] {
                    // The remaining modules stay light.
                    guard index < 8 * codewords.count else { return }
                    modules[row][column] = codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            isUpward.toggle()
        }
    }
}
