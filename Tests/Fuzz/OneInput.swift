import Foundation
import LibFuzzer

/// The fuzzer's own name for what takes an input.
@_cdecl("LLVMFuzzerTestOneInput")
func readOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let target = FuzzTarget.chosen else { return -1 }
    let input = FuzzInput(Data(UnsafeBufferPointer(start: start, count: count)))
    target.read(input)
    LeakCheck.looked(at: input, by: target)
    return 0
}

/// Finds out whether a reader keeps memory of what it has read.
///
/// LLVM's leak detector looks for addresses, and takes Swift's, which carry marks in some of their bits, for lost ones.
private enum LeakCheck {
    // Sound: the fuzzer gives its inputs one after the other.
    private nonisolated(unsafe) static var inputs = 0
    private static let repetitions = 32
    private static let rounds = 40
    private static let isPossible = counts_allocated_bytes() != 0
    /// Whether inputs are only read again, and none made up.
    private static let isReplay = CommandLine.arguments.contains("-runs=0")

    /// Reads `input` many times more, if its turn has come: each one of those that were kept, and one of a few thousand of
    /// those that are made up.
    static func looked(at input: FuzzInput, by target: FuzzTarget) {
        inputs += 1
        guard isPossible, isReplay || inputs % 8192 == 0 else { return }
        // Whatever is made once and kept exists after these.
        let start = ContinuousClock.now
        for _ in 0..<2 { target.read(input) }
        // A slow input is another failure, and not this one's to find.
        guard ContinuousClock.now - start < .milliseconds(50) else { return }
        var levels = [__sanitizer_get_current_allocated_bytes()]
        levels.reserveCapacity(1 + rounds)
        for _ in 0..<rounds {
            for _ in 0..<repetitions { target.read(input) }
            levels.append(__sanitizer_get_current_allocated_bytes())
            if levels.count == 4, levels.allSatisfy({ $0 - levels[0] < repetitions * 16 }) { return }
        }
        // A library below a reader fills caches for some rounds, and empties them now and then: the lowest levels are steady.
        // A leak raises them too.
        let quarter = rounds / 4
        let earlier = levels.dropLast(quarter).suffix(quarter).min() ?? 0
        let growth = (levels.suffix(quarter).min() ?? 0) - earlier
        let readings = quarter * repetitions
        rule(growth < readings * 32, "\(growth) bytes are left after \(readings) readings")
    }
}
