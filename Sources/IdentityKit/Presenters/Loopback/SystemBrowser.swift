import Foundation
import IdentityStoreFormat

/// The programs that can open a page on this machine.
struct SystemBrowser: Sendable {
    static var isAvailable: Bool {
        let browser = SystemBrowser()
        return browser.commands.contains { browser.executable($0.program) != nil }
    }

    /// The environment variables to use; `nil` for those of this process.
    private let given: [String: String]?

    init(variables: [String: String]? = nil) { given = variables }

    private func variable(_ name: String) -> String? {
        (given.map { $0[name] } ?? ProcessVariables.value(of: name)).nonEmpty
    }

    /// The commands to try, in order: those in the variable `BROWSER`, then the commands of this system.
    var commands: [BrowserCommand] {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        // An app cannot start other programs on these systems.
        return []
        #else
        let named = variable("BROWSER").map { BrowserCommand.list($0) { executable($0) != nil } } ?? []
        #if os(macOS)
        return named + [BrowserCommand(program: "/usr/bin/open")]
        #else
        var own: [BrowserCommand] = []
        // Under WSL, use the browser of Windows even if Linux has a display.
        if variable("WSL_DISTRO_NAME") ?? variable("WSL_INTEROP") != nil {
            own.append(BrowserCommand(program: "wslview"))
        }
        // Without a display, xdg-open may start a text browser in this terminal.
        if hasDisplay { own.append(BrowserCommand(program: "xdg-open")) }
        return named + own
        #endif
        #endif
    }

    private var hasDisplay: Bool { variable("DISPLAY") ?? variable("WAYLAND_DISPLAY") != nil }

    /// Opens `url` with the first program that can be started. If that program exits with an error and `isNeeded` returns
    /// `true`, the next one is tried.
    /// - Parameters:
    ///   - isNeeded: returns whether to try the next program after a started program has failed.
    ///   - report: called with all attempts so far after a program has failed and the next one was tried.
    /// - Returns: the attempts until the first program was started.
    func open(
        _ url: URL, while isNeeded: @escaping @Sendable () -> Bool = { true },
        report: @escaping @Sendable (BrowserAttempts) -> Void = { _ in }
    ) -> BrowserAttempts {
        start(commands[...], after: BrowserAttempts(), url, isNeeded, report)
    }

    private func start(
        _ commands: ArraySlice<BrowserCommand>, after attempts: BrowserAttempts, _ url: URL,
        _ isNeeded: @escaping @Sendable () -> Bool, _ report: @escaping @Sendable (BrowserAttempts) -> Void
    ) -> BrowserAttempts {
        var attempts = attempts
        attempts.started = nil
        #if !(os(iOS) || os(tvOS) || os(watchOS) || os(visionOS))
        for (index, command) in zip(commands.indices, commands) {
            guard let program = executable(command.program) else {
                attempts.failed.append("\(command.program) (not found)")
                continue
            }
            let process = Process()
            process.executableURL = program
            process.arguments = command.arguments(opening: url.absoluteString)
            process.environment = given ?? ProcessInfo.processInfo.environment
            // After a failure, hide `BROWSER` from `xdg-open`, which would try the same programs again.
            if !attempts.failed.isEmpty { process.environment?["BROWSER"] = nil }
            // Keep the browser's messages out of the terminal.
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            process.terminationHandler = { [attempts] process in
                guard process.terminationStatus != 0, process.terminationReason == .exit, isNeeded() else { return }
                var failed = attempts
                failed.failed.append("\(command.program) (status \(process.terminationStatus))")
                report(start(commands[(index + 1)...], after: failed, url, isNeeded, report))
            }
            guard (try? process.run()) != nil else {
                attempts.failed.append("\(command.program) (cannot be started)")
                continue
            }
            attempts.started = command.program
            break
        }
        #endif
        return attempts
    }

    private func executable(_ name: String) -> URL? {
        let candidates =
            name.contains("/")
            ? [name] : (variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first(where: FileManager.default.isExecutableFile).map(URL.init(fileURLWithPath:))
    }
}
