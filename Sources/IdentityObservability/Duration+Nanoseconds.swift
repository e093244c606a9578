#if Observability
extension Duration {
    /// The duration in whole nanoseconds: zero for a negative duration, and `Int64.max` for one that is too long.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = max(self, .zero).components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLarge) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows || isTooLarge ? .max : sum
    }
}
#endif
