import Foundation

/// The clock of `ContinuousClock`, which goes on while the machine is suspended, for what is read at every use of a cached
/// token, and for what processes tell each other.
package enum ContinuousTime {
    /// Nanoseconds since the system was started.
    package static var now: UInt64 {
        #if canImport(Darwin)
        clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)
        #else
        // Without the arithmetic of 128 bits.
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        #endif
    }
}
