import IdentityTesting
import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs.
    ///
    /// All tests run at once, and on a machine that is slow or has little to spare a test may take as long as all of them
    /// together. A limit of a test's own would measure the machine.
    package static var endsInTime: Self { .timeLimit(.minutes(Patience.minutes)) }
}
