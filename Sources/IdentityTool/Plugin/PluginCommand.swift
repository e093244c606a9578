import ArgumentParser
import Foundation

/// `identity plugin`: groups the commands for plug-ins, which add provider types to the tool and to apps.
struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin",
        abstract: "Write a provider of your own.",
        subcommands: [NewPluginCommand.self])
}

/// `identity plugin new`: creates a Swift package with a provider and its tests.
struct NewPluginCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write a package with a working provider and its tests.",
        discussion: """
            The package builds and passes the conformance suite. Change it until it works with your backend.

            EXAMPLES
              identity plugin new Acme
              identity plugin new Acme --folder ~/acme
              identity plugin new Acme --oauth
            """)

    @Argument(help: "The module's name, such as Acme. It begins every type's name.")
    var name: String

    @Option(
        help: "Where to write the package. The default is a folder with the module's name.",
        transform: ArgumentPath.checked)
    var folder: String?

    @Option(
        help: "A folder with a copy of swift-identity to build against, instead of the published package.",
        transform: ArgumentPath.checked)
    var package: String?

    @Flag(help: "Write a provider for a server that speaks OAuth 2.0, which is a value of twenty lines.")
    var oauth = false

    private func skeleton(_ package: String? = nil) -> PluginSkeleton {
        PluginSkeleton(
            name: name, dependency: package.map { .folder($0) } ?? .published, backend: oauth ? .oauth : .own)
    }

    func validate() throws {
        let reserved = ReservedNames(registry: ToolCall.parsing?.registry ?? .ofTool)
        if let problem = skeleton().nameProblem(reserved) { throw ValidationError(problem) }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let skeleton = skeleton(try package.map(call.path))
        let root = URL(fileURLWithPath: try call.path(folder ?? name.lowercased()))
        do {
            guard !FileManager.default.fileExists(atPath: root.path) else {
                terminal.note("identity plugin new: \(root.path) exists already. Choose another folder.")
                throw ExitStatus.failure.code
            }
            try WholeFolder.create(skeleton.files, at: root)
            for file in skeleton.files { try terminal.line(file.path) }
            terminal.note("Now run: cd \(root.path.quotedForShell) && swift test")
        } catch let error as CocoaError {
            terminal.note("identity plugin new: \(root.path) cannot be made: \(Self.reason(of: error))")
            throw ExitStatus.failure.code
        }
    }

    /// Returns the system's text for the POSIX error that caused `error`, such as "Permission denied.". Without a POSIX
    /// error, returns Foundation's description of `error`.
    private static func reason(of error: CocoaError) -> String {
        guard let cause = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map({ $0 as NSError }),
            cause.domain == NSPOSIXErrorDomain
        else { return error.localizedDescription }
        return "\(String(cString: strerror(Int32(cause.code))))."
    }
}
