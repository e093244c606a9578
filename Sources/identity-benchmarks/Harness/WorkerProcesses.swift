import Foundation

/// Child processes of this program, each with a ``WorkerCommand``. All of them do their work at once, whenever
/// ``turn()`` is called.
final class WorkerProcesses {
    private let processes: [Process]
    private let starts: [FileHandle]
    private let done = Pipe()
    /// The total processor time in seconds that the processes reported last.
    private var processor: Double = 0

    /// Starts `count` processes of ``WorkerCommand`` with `arguments`, and waits until all are ready.
    /// - Throws: ``Skipped`` if a process fails, or the error of starting a process.
    init(_ count: Int, arguments: [String]) throws {
        var (processes, starts) = ([Process](), [FileHandle]())
        let program = URL(fileURLWithPath: Program.ownPath)
        for _ in 0..<count {
            let (process, start) = (Process(), Pipe())
            process.executableURL = program
            process.arguments = ["worker"] + arguments
            // Pass file handles instead of pipes, because `Process` closes a pipe's handle after the start, and all
            // processes need `done`.
            (process.standardInput, process.standardOutput) = (start.fileHandleForReading, done.fileHandleForWriting)
            try process.run()
            try start.fileHandleForReading.close()
            processes.append(process)
            starts.append(start.fileHandleForWriting)
        }
        (self.processes, self.starts) = (processes, starts)
        try collect()
    }

    /// Lets all processes do their work once, at the same time.
    /// - Returns: the time until the last process is done, and the processor time of all processes together.
    /// - Throws: `Skipped` if a process printed an error or the output cannot be read, or the error of writing to a
    ///   process.
    func turn() throws -> Cost {
        let clock = ContinuousClock()
        let (before, start) = (processor, clock.now)
        for handle in starts { try handle.write(contentsOf: Data([1])) }
        try collect()
        return Cost(wall: (clock.now - start) / .seconds(1), processor: processor - before)
    }

    func stop() {
        for process in processes { process.terminate() }
        for process in processes { process.waitUntilExit() }
    }

    /// Reads a line from each process: the processor time in seconds that it has used so far, or its error.
    /// - Throws: ``Skipped`` if a process printed an error, or the output cannot be read.
    private func collect() throws {
        var (lines, text, failure) = (0, Data(), String?.none)
        var (total, buffer) = (0.0, [UInt8](repeating: 0, count: 1 << 12))
        while lines < processes.count {
            // `FileHandle.read(upToCount:)` would wait until the whole buffer is filled.
            let count = read(done.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { throw Skipped(description: "the workers cannot be read from") }
            text += buffer[..<count]
            while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: text[text.startIndex..<end], as: UTF8.self)
                text = Data(text[(end + 1)...])
                lines += 1
                if let seconds = Double(line) { total += seconds } else { failure = line }
            }
        }
        processor = total
        if let failure { throw Skipped(description: "a worker failed: \(failure)") }
    }
}
