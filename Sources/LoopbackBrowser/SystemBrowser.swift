import Foundation

/// The person's browser.
enum SystemBrowser {
    /// Opens `url`.
    /// - Returns: whether there is a browser that may have opened it.
    static func open(_ url: URL, variables: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        // An app there opens no other program's browser and comes back: `SystemWebAuthenticator` does.
        return false
        #else
        guard let program = program(variables) else { return false }
        let process = Process()
        process.executableURL = program
        process.arguments = [url.absoluteString]
        // Browsers are talkative, and the terminal is the person's.
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        return (try? process.run()) != nil
        #endif
    }

    private static func program(_ variables: [String: String]) -> URL? {
        if let named = nonEmpty(variables["BROWSER"]) { return executable(named, variables) }
        #if os(macOS)
        return URL(fileURLWithPath: "/usr/bin/open")
        #else
        // Without a display the opener would start a text browser in this terminal.
        guard nonEmpty(variables["DISPLAY"]) != nil || nonEmpty(variables["WAYLAND_DISPLAY"]) != nil else { return nil }
        return executable("xdg-open", variables)
        #endif
    }

    private static func nonEmpty(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }

    private static func executable(_ name: String, _ variables: [String: String]) -> URL? {
        let candidates =
            name.contains("/")
            ? [name] : (variables["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first(where: FileManager.default.isExecutableFile).map(URL.init(fileURLWithPath:))
    }
}
