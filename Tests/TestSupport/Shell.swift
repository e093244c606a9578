import Foundation

/// Runs a Bash script to its end, and returns what it printed.
package func shell(_ script: String, environment: [String: String] = [:]) async throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    let output = Pipe()
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
    try process.run()
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            // On a thread of its own: a blocked task would hold one of the few threads that all tasks share.
            Thread.detachNewThread {
                let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                continuation.resume(returning: text)
            }
        }
    } onCancel: {
        process.terminate()
    }
}
