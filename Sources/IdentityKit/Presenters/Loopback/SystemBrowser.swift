import Foundation
import IdentityStoreFormat

enum SystemBrowser {
    /// A variable of the environment. The whole of it is not copied for that.
    typealias Variables = (_ name: String) -> String?

    static var isAvailable: Bool { isAvailable(ProcessVariables.value) }

    static func isAvailable(_ variables: Variables) -> Bool { program(variables) != nil }

    /// Opens `url`.
    /// - Parameter variables: the environment; `nil` for that of this process.
    /// - Returns: whether a browser was started.
    static func open(_ url: URL, variables: [String: String]? = nil) -> Bool {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        // No program can start another one there.
        return false
        #else
        guard let program = program({ name in variables.map { $0[name] } ?? ProcessVariables.value(of: name) })
        else { return false }
        let process = Process()
        if let variables { process.environment = variables }
        process.executableURL = program
        process.arguments = [url.absoluteString]
        // Keeps the browser's messages out of the terminal.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        return (try? process.run()) != nil
        #endif
    }

    private static func program(_ variables: Variables) -> URL? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        return nil
        #else
        if let named = variables("BROWSER").nonEmpty { return executable(named, variables) }
        #if os(macOS)
        return URL(fileURLWithPath: "/usr/bin/open")
        #else
        // Without a display, xdg-open may start a text browser in this terminal.
        guard variables("DISPLAY").nonEmpty != nil || variables("WAYLAND_DISPLAY").nonEmpty != nil else { return nil }
        return executable("xdg-open", variables)
        #endif
        #endif
    }

    private static func executable(_ name: String, _ variables: Variables) -> URL? {
        let candidates =
            name.contains("/")
            ? [name] : (variables("PATH") ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first(where: FileManager.default.isExecutableFile).map(URL.init(fileURLWithPath:))
    }
}
