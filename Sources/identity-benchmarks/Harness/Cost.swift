import Foundation

/// The cost of a piece of work in seconds: elapsed time and processor time.
struct Cost {
    var wall: Double
    var processor: Double

    static func / (cost: Cost, divisor: Double) -> Cost {
        Cost(wall: cost.wall / divisor, processor: cost.processor / divisor)
    }

    static func measure(ofPrograms: Bool = false, _ body: () async throws -> Void) async throws -> Cost {
        let clock = ContinuousClock()
        let (processor, start) = (ofPrograms ? programs : own, clock.now)
        try await body()
        let wall = clock.now - start
        return Cost(wall: wall / .seconds(1), processor: (ofPrograms ? programs : own) - processor)
    }

    static var own: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The processor time in seconds of all child processes that have ended.
    private static var programs: Double {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_CHILDREN, &usage)
        #else
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        #endif
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
