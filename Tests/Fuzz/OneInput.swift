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
        // A library below a reader may fill caches for some rounds. A leak grows in every round.
        var growth = 0
        for _ in 0..<rounds {
            let before = __sanitizer_get_current_allocated_bytes()
            for _ in 0..<repetitions { target.read(input) }
            growth = Int(__sanitizer_get_current_allocated_bytes()) - Int(before)
            if growth < repetitions * 16 { return }
        }
        rule(false, "\(growth) bytes are left after \(repetitions) readings, the last of \(rounds) times")
    }
}
