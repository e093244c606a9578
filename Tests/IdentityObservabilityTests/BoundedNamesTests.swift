#if Observability
import IdentityKit
import Testing

@testable import IdentityObservability

@Suite struct BoundedNamesTests {
    @Test("The first names are told apart, and stay so; all others are one")
    func limit() {
        let names = BoundedNames(limit: 2)
        #expect(["a", "b", "c", "a", nil, "d"].map { names[$0] } == ["a", "b", "other", "a", nil, "other"])
    }

    @Test("Error codes that a backend makes up do not make metrics grow")
    func errorCodes() {
        struct MadeUp: IdentityFailure {
            let failureCode: String
            var failureClass: FailureClass { .definitive }
            var message: String { "it failed" }
        }
        let metrics = RecordedMetrics()
        let observer = MetricsObserver(factory: metrics)
        let account = AccountID(account: "ada", realm: "work")
        for number in 0..<1000 {
            let error = MadeUp(failureCode: "code-\(number)")
            observer.observe(ObservedEvent(.session(.postponed(account, because: error))))
        }
        let codes = Set(metrics.values.compactMap { $0.dimensions["error_code"] })
        #expect(codes.count == MetricsObserver.maximumErrorCodes + 1 && codes.contains("other"))
    }

    @Test(
        "Durations become whole nanoseconds, whatever they are",
        arguments: [
            (.seconds(1.5), 1_500_000_000), (.zero, 0), (.seconds(-1), 0), (.seconds(Int64.max), .max),
        ] as [(Duration, Int64)])
    func nanoseconds(duration: Duration, expected: Int64) { #expect(duration.nanoseconds == expected) }
}
#endif
