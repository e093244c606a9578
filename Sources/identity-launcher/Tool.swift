import IdentityStoreFormat

/// The complete tool, `libexec/identity`, next to the folder of this program.
enum Tool {
    /// Replaces this process with the whole tool, with the same command line, environment and streams.
    static func replaceProcess() -> Never {
        let path = ownFolder + "/../libexec/identity"
        execv(path, CommandLine.unsafeArgv)
        Message.leave(
            "\(path) cannot be started (\(String(cString: strerror(errno)))). Install both programs again.")
    }

    /// The folder of this program, with links resolved.
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
