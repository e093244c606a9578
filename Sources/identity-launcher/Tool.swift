import IdentityStoreFormat

/// The full tool, `libexec/identity`, which has all commands. The folder `libexec` is beside the folder of this program.
enum Tool {
    /// Replaces this process with the full tool, with the same command line, environment and streams. If the tool cannot
    /// be started, ends the process with an error.
    static func replaceProcess() -> Never {
        let path = ownFolder + "/../libexec/identity"
        execv(path, CommandLine.unsafeArgv)
        Message.leave(
            "\(path) cannot be started (\(String(cString: strerror(errno)))). Install both programs again.")
    }

    /// The folder of this program, with links resolved; `.` if the path of the program is unknown.
    private static var ownFolder: String {
        #if os(Linux)
        let link = "/proc/self/exe"
        #else
        let link = Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
        guard let resolved = realpath(link, nil) else { return "." }
        defer { free(resolved) }
        let path = String(cString: resolved)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
