#if canImport(SwiftUI) && !os(watchOS)
import IdentityKit
import SwiftUI

#if os(macOS)
/// The controller of a view in AppKit.
public typealias IdentityViewController = NSHostingController
#else
/// The controller of a view in UIKit.
public typealias IdentityViewController = UIHostingController
#endif

extension SignInView {
    /// The screen for an app of UIKit or AppKit.
    @MainActor public var controller: IdentityViewController<SignInView> { IdentityViewController(rootView: self) }
}

extension IdentityView {
    /// The app or its sign-in screen for an app of UIKit or AppKit.
    @MainActor public var controller: IdentityViewController<IdentityView> { IdentityViewController(rootView: self) }
}

extension AccountSwitcher {
    /// The accounts for an app of UIKit or AppKit.
    @MainActor public var controller: IdentityViewController<AccountSwitcher> { IdentityViewController(rootView: self) }
}
#endif
