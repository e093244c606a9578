import Foundation

/// The time of `ContinuousClock`, which goes on while the machine sleeps, as a plain number. Reading the number is
/// cheap enough for every use of a cached token, and all processes get comparable numbers.
package enum ContinuousTime {
    /// Nanoseconds since the system was started.
    package static var now: UInt64 {
        #if canImport(Darwin)
        clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)
        #else
        // Use plain 64-bit arithmetic, because `Duration` calculates with 128 bits, which takes longer.
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        #endif
    }
}
