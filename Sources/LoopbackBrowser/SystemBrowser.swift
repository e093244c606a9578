import Foundation
import IdentityKit

/// The system's browser.
enum SystemBrowser {
    /// Opens `url`.
    /// - Returns: whether a browser was started.
    static func open(_ url: URL, variables: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        // `SystemWebAuthenticator` opens pages there.
        return false
        #else
        guard let program = program(variables) else { return false }
        let process = Process()
        process.executableURL = program
        process.arguments = [url.absoluteString]
        // Keeps the browser's messages out of the terminal.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        return (try? process.run()) != nil
        #endif
    }

    private static func program(_ variables: [String: String]) -> URL? {
        if let named = variables["BROWSER"].nonEmpty { return executable(named, variables) }
        #if os(macOS)
        return URL(fileURLWithPath: "/usr/bin/open")
        #else
        // Without a display, xdg-open may start a text browser in this terminal.
        guard variables["DISPLAY"].nonEmpty != nil || variables["WAYLAND_DISPLAY"].nonEmpty != nil else { return nil }
        return executable("xdg-open", variables)
        #endif
    }

    private static func executable(_ name: String, _ variables: [String: String]) -> URL? {
        let candidates =
            name.contains("/")
            ? [name] : (variables["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first(where: FileManager.default.isExecutableFile).map(URL.init(fileURLWithPath:))
    }
}
