#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
import AuthenticationServices

/// The window in front.
@available(iOSApplicationExtension, unavailable)
@available(macOSApplicationExtension, unavailable)
@available(visionOSApplicationExtension, unavailable)
@MainActor
package enum FrontWindow {
    package static var current: ASPresentationAnchor? {
        #if os(macOS)
        return NSApplication.shared.keyWindow ?? NSApplication.shared.mainWindow ?? NSApplication.shared.windows.first
        #else
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        let inFront = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
        return inFront?.keyWindow ?? inFront?.windows.first
        #endif
    }
}
#endif
