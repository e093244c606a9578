import Foundation

/// The authenticator that opens sign-in pages when an app sets none.
public enum DefaultWebAuthenticator {
    /// The authenticator for this system: on iOS, macOS and visionOS the system's sheet (`SystemWebAuthenticator`), on
    /// Linux the browser and a listener on loopback (``LoopbackWebAuthenticator``).
    ///
    /// `nil` where no page can be opened: on tvOS and watchOS, and on a Linux machine that has none of these programs: one
    /// that the variable `BROWSER` names, `wslview` under WSL, or `xdg-open` with a display. There, let the person sign in
    /// with a code on another device (``DeviceCodePresenter``), or show the page's address with
    /// `LoopbackWebAuthenticator(present:)`.
    public static var ofThisSystem: (any WebAuthenticator)? {
        #if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
        return SystemWebAuthenticator()
        #else
        return SystemBrowser.isAvailable ? LoopbackWebAuthenticator() : nil
        #endif
    }
}
