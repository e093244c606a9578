#if Observability
extension Duration {
    /// Whole nanoseconds; zero for a negative duration, limited to the largest number.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = max(self, .zero).components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLarge) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows || isTooLarge ? .max : sum
    }
}
#endif
