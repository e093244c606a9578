import Foundation

/// Recognizes RSA keys from the flawed generator of certain chips and smart cards (CVE-2017-15361, "ROCA"). Anybody can
/// compute the private key from such a public key.
///
/// Both primes of such a key are `k * M + (65537^a mod M)`, where `M` is the product of the first primes. So the key's
/// modulus is a power of 65537 modulo each prime factor of `M`. Fewer than one in a hundred million other keys have this
/// form by chance.
enum ROCAFingerprint {
    /// The odd primes that divide `M` for keys of every length.
    private static let primes: [UInt32] = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]

    private static let powers: [[Bool]] = primes.map { prime in
        var isPower = [Bool](repeating: false, count: Int(prime))
        var power: UInt32 = 1
        repeat {
            isPower[Int(power)] = true
            power = power * (65537 % prime) % prime
        } while power != 1
        return isPower
    }

    /// Whether a key with this modulus, the most significant byte first, has the weakness.
    static func matches(modulus: Data) -> Bool {
        zip(primes, powers).allSatisfy { prime, isPower in
            isPower[Int(modulus.reduce(0) { ($0 << 8 | UInt32($1)) % prime })]
        }
    }
}
