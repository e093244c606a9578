#if canImport(AuthenticationServices)
import AuthenticationServices

@MainActor
package enum FrontWindow {
    /// The app's front window; `nil` when there is none, and in an extension, because its window belongs to the host app. On
    /// watchOS, always the screen.
    package static var current: AuthorizationSheet.Anchor? {
        #if os(watchOS)
        return .screen
        #else
        guard Bundle.main.bundleURL.pathExtension != "appex" else { return nil }
        #if os(macOS)
        return NSApplication.shared.keyWindow ?? NSApplication.shared.mainWindow ?? NSApplication.shared.windows.first
        #else
        // The scene of an external display is active too, but nobody can touch it.
        let scenes = (application?.connectedScenes ?? []).compactMap { $0 as? UIWindowScene }
            .filter { $0.session.role != .windowExternalDisplayNonInteractive }
        let inFront =
            scenes.first { $0.activationState == .foregroundActive }
            ?? scenes.first { $0.activationState == .foregroundInactive } ?? scenes.first
        return inFront?.keyWindow ?? inFront?.windows.first
        #endif
        #endif
    }

    #if !os(macOS) && !os(watchOS)
    /// The app object, looked up at run time, because code that extensions may link must not name `UIApplication.shared`.
    private static var application: UIApplication? {
        let shared = NSSelectorFromString("sharedApplication")
        return UIApplication.perform(shared)?.takeUnretainedValue() as? UIApplication
    }
    #endif
}
#endif
