#if canImport(SwiftUI) && !os(watchOS)
import IdentityKit
import SwiftUI

#if os(macOS)
/// `NSHostingController` on macOS, and `UIHostingController` on other systems, so that the same code compiles for all
/// systems.
public typealias IdentityViewController = NSHostingController
#else
/// `NSHostingController` on macOS, and `UIHostingController` on other systems, so that the same code compiles for all
/// systems.
public typealias IdentityViewController = UIHostingController
#endif

extension SignInView {
    /// A new view controller that shows the screen, for an app with UIKit or AppKit.
    @MainActor public var controller: IdentityViewController<SignInView> { IdentityViewController(rootView: self) }
}

extension IdentityView {
    /// A new view controller that shows the view, for an app with UIKit or AppKit.
    @MainActor public var controller: IdentityViewController<IdentityView> { IdentityViewController(rootView: self) }
}

extension AccountSwitcher {
    /// A new view controller that shows the list of accounts, for an app with UIKit or AppKit.
    @MainActor public var controller: IdentityViewController<AccountSwitcher> { IdentityViewController(rootView: self) }
}
#endif
