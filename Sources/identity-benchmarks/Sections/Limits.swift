import Foundation

extension Section {
    /// Measures the time to replace a small file on the disk so that the new content survives a power failure.
    static func durableReplace(in bench: Bench) async throws -> Figure {
        try await Stopwatch(rounds: bench.count(50)).compare([durableReplacing(in: try bench.scratch.folder())])[0]
    }

    static func durableReplacing(in folder: URL) -> Contender {
        let (draft, file) = (folder.path + "/draft", folder.path + "/file")
        let content = [UInt8](repeating: 120, count: 2048)
        return Contender(name: "a durable replace", role: .limit) {
            let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            guard write(descriptor, content, content.count) == content.count, fsync(descriptor) == 0,
                close(descriptor) == 0, rename(draft, file) == 0
            else { throw Skipped(description: "a file cannot be written") }
            let parent = open(folder.path, O_RDONLY)
            defer { close(parent) }
            guard fsync(parent) == 0 else { throw Skipped(description: "a folder cannot be synchronized") }
        }
    }

    /// Returns contenders that start a program that does nothing: the system's `true`, a static C program, and a static
    /// Swift program, linked like `identity-launcher`. A program that cannot be built is left out.
    static func emptyPrograms(in folder: URL) -> [Contender] {
        let programs = [
            ("/bin/true", Program(path: "/bin/true")),
            (
                "a static C program",
                built("empty.c", "int main(void) { return 0; }", "cc", ["-O2", "-static"], in: folder)
            ),
            (
                "a static Swift program",
                built("empty.swift", "", "swiftc", ["-O", "-static-executable", "-Xlinker", "-s"], in: folder)
            ),
        ]
        return programs.compactMap { name, program in
            program.map { program in
                Contender(name: name, role: .limit, startsPrograms: true) { try program.run() }
            }
        }
    }

    /// Writes `source` to a file and compiles it.
    /// - Returns: the program; `nil` if the compiler is missing, or cannot link with `options`.
    private static func built(
        _ name: String, _ source: String, _ compiler: String, _ options: [String], in folder: URL
    ) -> Program? {
        guard let compiler = Program.installed(compiler) else { return nil }
        let (file, program) = (folder.appendingPathComponent(name), folder.path + "/" + name + ".out")
        do {
            try Data("\(source)\n".utf8).write(to: file)
            try Program(path: compiler, arguments: options + ["-o", program, file.path]).run()
            return Program(path: program)
        } catch {
            return nil
        }
    }
}
