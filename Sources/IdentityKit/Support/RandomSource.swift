import Foundation

/// Where the framework gets unpredictable bytes from, so that a test can fix them and fail them.
public struct RandomSource: Sendable {
    private let generate: @Sendable (Int) throws -> [UInt8]

    /// Builds a source from a function that returns the asked number of bytes or throws.
    public init(_ generate: @escaping @Sendable (_ count: Int) throws -> [UInt8]) {
        self.generate = generate
    }

    /// `count` unpredictable bytes.
    /// - Throws: ``RandomnessError`` when the source fails or gives too few. Nothing may go on with weaker bytes.
    public func bytes(_ count: Int) throws -> [UInt8] {
        guard let bytes = try? generate(count), bytes.count == count else { throw RandomnessError() }
        return bytes
    }

    /// The system's cryptographic generator. It stops the process rather than return predictable bytes.
    public static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}

/// No unpredictable bytes could be had, so nothing that depends on them was started.
public struct RandomnessError: IdentityFailure, Equatable {
    /// Creates the error.
    public init() {}
    /// `randomness_unavailable`
    public var failureCode: String { "randomness_unavailable" }
    /// Always transient.
    public var failureClass: FailureClass { .transient }
    /// What happened.
    public var message: String { "The system gave no random bytes, so the sign-in was not started. Try again." }
}
