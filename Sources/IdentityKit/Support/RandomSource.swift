import Foundation

/// A source of unpredictable bytes, usually ``system``. A test can use a source that returns fixed bytes or fails.
public struct RandomSource: Sendable {
    private let generate: @Sendable (Int) throws -> [UInt8]

    /// Creates a source.
    /// - Parameter generate: returns `count` bytes, or throws any error. ``bytes(_:)`` then throws an error of its own.
    public init(_ generate: @escaping @Sendable (_ count: Int) throws -> [UInt8]) {
        self.generate = generate
    }

    /// Returns `count` unpredictable bytes.
    /// - Throws: an error with the code `randomness_unavailable` when the source fails, or returns another number of
    ///   bytes.
    public func bytes(_ count: Int) throws -> [UInt8] {
        guard let bytes = try? generate(count), bytes.count == count else { throw RandomnessError() }
        return bytes
    }

    /// The system's cryptographic generator. If the generator fails, the process stops. No predictable bytes are
    /// returned.
    public static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
