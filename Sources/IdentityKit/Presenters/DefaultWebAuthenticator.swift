import Foundation

/// The opener of sign-in pages where an app names none.
public enum DefaultWebAuthenticator {
    /// The system's way to open sign-in pages: on iOS, macOS and visionOS the system's sheet
    /// (`SystemWebAuthenticator`), on Linux its browser and a listener on loopback (``LoopbackWebAuthenticator``).
    ///
    /// It is `nil` where no page can be opened: on tvOS and watchOS, and on a Linux machine where neither the variable
    /// `BROWSER` names a program nor a desktop is running. There a person signs in with a code on another device
    /// (``DeviceCodePresenter``), and `LoopbackWebAuthenticator(present:)` shows the page's address.
    public static var ofThisSystem: (any WebAuthenticator)? {
        #if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
        return SystemWebAuthenticator()
        #else
        return SystemBrowser.isAvailable ? LoopbackWebAuthenticator() : nil
        #endif
    }
}
