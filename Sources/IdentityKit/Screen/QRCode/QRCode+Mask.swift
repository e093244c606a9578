/// Masks, which invert modules in a regular pattern so that scanners can read the code more reliably.
extension QRCode {
    /// Returns the code with the data modules inverted by mask 0 to 7 (ISO/IEC 18004 section 7.8.2), and with the
    /// number of the mask in the format information.
    func masked(_ mask: Int) -> QRCode {
        var copy = self
        for row in modules.indices {
            for column in modules.indices where !isReserved[row][column] && Self.inverts(mask, row, column) {
                copy.modules[row][column].toggle()
            }
        }
        copy.drawFormat(mask: mask)
        return copy
    }

    private static func inverts(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }

    /// Penalty for long runs and 2×2 blocks of one color, and for unequal numbers of dark and light modules. The mask
    /// with the lowest penalty is the easiest to scan (ISO/IEC 18004 section 7.8.3). Unlike in the standard, patterns
    /// that resemble finders are not counted.
    var penalty: Int {
        let columns = modules.indices.map { column in modules.map { $0[column] } }
        let runs = (modules + columns).map(Self.runPenalty).reduce(0, +)
        var blocks = 0
        for row in 1..<version.size {
            for column in 1..<version.size where isBlock(row, column) { blocks += 1 }
        }
        let dark = modules.joined().count { $0 }
        let percentage = dark * 100 / (version.size * version.size)
        return runs + 3 * blocks + abs(percentage - 50) / 5 * 10
    }

    /// Whether the module has the same color as its neighbors to the left, above, and above to the left.
    private func isBlock(_ row: Int, _ column: Int) -> Bool {
        let module = modules[row][column]
        return modules[row - 1][column] == module && modules[row][column - 1] == module
            && modules[row - 1][column - 1] == module
    }

    private static func runPenalty(_ line: [Bool]) -> Int {
        var (penalty, length) = (0, 0)
        for (index, module) in line.enumerated() {
            length = index > 0 && line[index - 1] == module ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        return penalty
    }
}
