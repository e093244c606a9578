import IdentityKit

extension QRCode {
    /// Returns the code as lines of text, with two rows of modules per line.
    /// - Parameter inColour: whether the text sets foreground and background color. Without colors, scanners recognize the code
    ///   only on a terminal with light text on a dark background.
    func lines(inColour: Bool) -> [String] {
        func isLight(_ row: Int, _ column: Int) -> Bool {
            let (row, column) = (row - Self.margin, column - Self.margin)
            guard modules.indices.contains(row), modules.indices.contains(column) else { return true }
            return !modules[row][column]
        }
        return stride(from: 0, to: width, by: 2).map { row in
            let cells = (0..<width).map { column in
                switch (isLight(row, column), row + 1 < width && isLight(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return inColour ? "\u{1B}[97;40m" + cells.joined() + "\u{1B}[0m" : cells.joined()
        }
    }
}
