import Foundation

/// Child processes of this program that wait for a signal to work, all at once and repeatedly.
final class WorkerProcesses {
    private let processes: [Process]
    private let starts: [FileHandle]
    private let done = Pipe()
    /// The total processor time of the processes at the last reading.
    private var processor: Double = 0

    /// Starts `count` processes with the arguments of ``WorkerCommand``, and waits until all are ready.
    init(_ count: Int, arguments: [String]) throws {
        var (processes, starts) = ([Process](), [FileHandle]())
        let program = URL(fileURLWithPath: Program.ownPath)
        for _ in 0..<count {
            let (process, start) = (Process(), Pipe())
            process.executableURL = program
            process.arguments = ["worker"] + arguments
            // Pass file descriptors instead of pipes, because `Process` closes this program's ends of pipes.
            (process.standardInput, process.standardOutput) = (start.fileHandleForReading, done.fileHandleForWriting)
            try process.run()
            try start.fileHandleForReading.close()
            processes.append(process)
            starts.append(start.fileHandleForWriting)
        }
        (self.processes, self.starts) = (processes, starts)
        try collect()
    }

    /// Makes all processes do their work once.
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

    /// Reads a line from each process: its processor time so far in seconds, or its error.
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
