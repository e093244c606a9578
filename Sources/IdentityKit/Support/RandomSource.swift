import Foundation

/// The source of unpredictable bytes. A test can replace it by fixed bytes or a failing source.
public struct RandomSource: Sendable {
    private let generate: @Sendable (Int) throws -> [UInt8]

    /// A source that calls a function, which returns `count` bytes or throws.
    public init(_ generate: @escaping @Sendable (_ count: Int) throws -> [UInt8]) {
        self.generate = generate
    }

    /// `count` unpredictable bytes.
    /// - Throws: ``/IdentityCore/RandomnessError`` when the source fails or returns too few.
    public func bytes(_ count: Int) throws -> [UInt8] {
        guard let bytes = try? generate(count), bytes.count == count else { throw RandomnessError() }
        return bytes
    }

    /// The system's cryptographic generator. If it fails, it stops the process instead of returning predictable bytes.
    public static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
