/// A version of QR codes, from 1 to 9, which determines the size of a code. The error correction level is always the
/// lowest one, which suffices on a screen.
struct QRVersion {
    let number: Int
    /// Number of data codewords in each block.
    private let blockData: Int
    /// Number of error correction codewords in each block.
    private let blockCorrection: Int
    private let blocks: Int
    /// Row and column numbers of the centers of the alignment patterns.
    let alignment: [Int]

    private static let all = [
        QRVersion(number: 1, blockData: 19, blockCorrection: 7, blocks: 1, alignment: []),
        QRVersion(number: 2, blockData: 34, blockCorrection: 10, blocks: 1, alignment: [6, 18]),
        QRVersion(number: 3, blockData: 55, blockCorrection: 15, blocks: 1, alignment: [6, 22]),
        QRVersion(number: 4, blockData: 80, blockCorrection: 20, blocks: 1, alignment: [6, 26]),
        QRVersion(number: 5, blockData: 108, blockCorrection: 26, blocks: 1, alignment: [6, 30]),
        QRVersion(number: 6, blockData: 68, blockCorrection: 18, blocks: 2, alignment: [6, 34]),
        QRVersion(number: 7, blockData: 78, blockCorrection: 20, blocks: 2, alignment: [6, 22, 38]),
        QRVersion(number: 8, blockData: 97, blockCorrection: 24, blocks: 2, alignment: [6, 24, 42]),
        QRVersion(number: 9, blockData: 116, blockCorrection: 30, blocks: 2, alignment: [6, 26, 46]),
    ]

    /// The smallest version that holds `count` bytes; `nil` when none does.
    static func holding(_ count: Int) -> QRVersion? {
        // Two codewords are added: one for the length, and half a codeword each for the mode and the terminator.
        all.first { $0.blocks * $0.blockData >= count + 2 }
    }

    var size: Int { 17 + 4 * number }

    /// Data and correction codewords of all blocks, interleaved in the order of drawing.
    func codewords(for bytes: [UInt8]) -> [UInt8] {
        let data = padded(bytes)
        let parts = (0..<blocks).map { Array(data[$0 * blockData..<($0 + 1) * blockData]) }
        let corrections = parts.map { ReedSolomon.correction(for: $0, count: blockCorrection) }
        return (0..<blockData).flatMap { index in parts.map { $0[index] } }
            + (0..<blockCorrection).flatMap { index in corrections.map { $0[index] } }
    }

    /// The mode indicator (4 bits), the length, the bytes and the terminator (4 bits), followed by padding up to the
    /// number of data codewords.
    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        let (byteMode, end) = (UInt8(0b0100), UInt8(0))
        var nibbles = [byteMode]
        for byte in [UInt8(bytes.count)] + bytes { nibbles += [byte >> 4, byte & 15] }
        nibbles.append(end)
        var data = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        var padding: UInt8 = 0xEC
        while data.count < blocks * blockData {
            data.append(padding)
            padding ^= 0xEC ^ 0x11
        }
        return data
    }
}
