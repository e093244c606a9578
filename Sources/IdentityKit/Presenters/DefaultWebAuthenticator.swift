import Foundation

/// The authenticator that opens sign-in pages when an app sets none.
public enum DefaultWebAuthenticator {
    /// The authenticator for this system. On iOS, macOS and visionOS, it is the system's sheet
    /// (`SystemWebAuthenticator`). On Linux, it is the browser with a listener on loopback
    /// (``LoopbackWebAuthenticator``).
    ///
    /// `nil` on tvOS and watchOS, and on a Linux machine with no program that opens pages. Such a program is one that
    /// the variable `BROWSER` names, `wslview` under WSL, or `xdg-open` with a display. Without an authenticator, let
    /// the person sign in with a code on another device (``DeviceCodePresenter``), or show the page's address with
    /// `LoopbackWebAuthenticator(present:)`.
    public static var ofThisSystem: (any WebAuthenticator)? {
        #if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
        return SystemWebAuthenticator()
        #else
        return SystemBrowser.isAvailable ? LoopbackWebAuthenticator() : nil
        #endif
    }
}
