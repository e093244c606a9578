import Foundation

extension Section {
    /// What the disk needs for one small file that replaces another and survives a loss of power.
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

    /// A program that does nothing, and the smallest one there can be.
    static func emptyPrograms(in folder: URL) -> [Contender] {
        var programs = [("/bin/true", Program(path: "/bin/true"))]
        if let compiler = Program.installed("cc") {
            let (source, program) = (folder.path + "/empty.c", folder.path + "/empty")
            let isBuilt =
                (try? Data("int main(void) { return 0; }\n".utf8).write(to: URL(fileURLWithPath: source))) != nil
                && (try? Program(path: compiler, arguments: ["-O2", "-static", "-o", program, source]).run()) != nil
            if isBuilt { programs.append(("a static C program", Program(path: program))) }
        }
        return programs.map { name, program in
            Contender(name: name, role: .limit, startsPrograms: true) { try program.run() }
        }
    }
}
