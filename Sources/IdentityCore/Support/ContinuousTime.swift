import Foundation

/// The clock of `ContinuousClock`, which goes on while the machine is suspended, for what is read at every use of a cached
/// token.
package enum ContinuousTime {
    /// Its nanoseconds, from a moment that is the same for the process.
    package static var now: UInt64 {
        #if os(Linux)
        // Without the arithmetic of 128 bits.
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        #else
        let (seconds, attoseconds) = origin.duration(to: .now).components
        return UInt64(seconds) &* 1_000_000_000 &+ UInt64(attoseconds) / 1_000_000_000
        #endif
    }

    #if !os(Linux)
    /// Earlier than any moment that is compared, so that no number is negative.
    private static let origin = ContinuousClock.now - .seconds(3_600)
    #endif
}
