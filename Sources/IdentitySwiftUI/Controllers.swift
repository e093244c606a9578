#if canImport(SwiftUI) && !os(watchOS)
import IdentityKit
import SwiftUI

#if os(macOS)
/// `NSHostingController`, or `UIHostingController` on other systems, so that code for both needs one name.
public typealias IdentityViewController = NSHostingController
#else
/// `UIHostingController`, or `NSHostingController` on macOS, so that code for both systems needs one name.
public typealias IdentityViewController = UIHostingController
#endif

extension SignInView {
    /// The screen as a view controller, for an app with UIKit or AppKit.
    @MainActor public var controller: IdentityViewController<SignInView> { IdentityViewController(rootView: self) }
}

extension IdentityView {
    /// The view as a view controller, for an app with UIKit or AppKit.
    @MainActor public var controller: IdentityViewController<IdentityView> { IdentityViewController(rootView: self) }
}

extension AccountSwitcher {
    /// The list of accounts as a view controller, for an app with UIKit or AppKit.
    @MainActor public var controller: IdentityViewController<AccountSwitcher> { IdentityViewController(rootView: self) }
}
#endif
