// Feeds the readers of hostile input with what LLVM's fuzzer makes up. Which reader, the variable FUZZ_TARGET says; the
// arguments are the fuzzer's own (https://llvm.org/docs/LibFuzzer.html). `.ci/fuzz` builds and runs this.

import Foundation
import LibFuzzer

if CommandLine.arguments.dropFirst().first == "--list" {
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    exit(0)
}
guard FuzzTarget.chosen != nil else {
    print("FUZZ_TARGET names no target. There are: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    exit(2)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments) { readOneInput($0, $1) })
