/// Error correction of QR codes (ISO/IEC 18004 section 7.5): Reed-Solomon codes over the field of 256 elements.
enum ReedSolomon {
    static func correction(for data: some Sequence<UInt8>, count: Int) -> [UInt8] {
        let divisor = generator(count)
        var remainder = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices { remainder[index] ^= product(divisor[index], factor) }
        }
        return remainder
    }

    /// Coefficients of the generator polynomial (x - 1)(x - 2)(x - 4)… of this degree, without the leading coefficient,
    /// which is 1.
    private static func generator(_ degree: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in coefficients.indices {
                coefficients[index] = product(coefficients[index], root)
                if index + 1 < degree { coefficients[index] ^= coefficients[index + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    /// Product of two field elements, modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
        var (result, factor, rest) = (UInt8(0), first, second)
        while rest != 0 {
            if rest & 1 == 1 { result ^= factor }
            factor = (factor << 1) ^ (factor & 0x80 == 0 ? 0 : 0x1D)
            rest >>= 1
        }
        return result
    }
}
