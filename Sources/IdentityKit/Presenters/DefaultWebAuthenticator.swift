import Foundation

/// Opens sign-in pages when an app sets no authenticator.
public enum DefaultWebAuthenticator {
    /// The system's way to open sign-in pages: on iOS, macOS and visionOS the system's sheet
    /// (`SystemWebAuthenticator`), on Linux its browser and a listener on loopback (``LoopbackWebAuthenticator``).
    ///
    /// It is `nil` where no page can be opened: on tvOS and watchOS, and on a Linux machine where neither the variable
    /// `BROWSER` names a program nor a desktop is running. There, let the person sign in with a code on another device
    /// (``DeviceCodePresenter``), or show the page's address with `LoopbackWebAuthenticator(present:)`.
    public static var ofThisSystem: (any WebAuthenticator)? {
        #if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
        return SystemWebAuthenticator()
        #else
        return SystemBrowser.isAvailable ? LoopbackWebAuthenticator() : nil
        #endif
    }
}
