#if canImport(SwiftUI)
import SwiftUI

#if os(watchOS)
import Accessibility
#endif

extension View {
    /// Lets the screen reader say `words` when they change; `nil` says nothing.
    package func announcing(_ words: String?) -> some View {
        task(id: words) { if let words { announce(words) } }
    }
}

/// Says `words` before what the focus moves to, which an announcement of usual priority would give way to.
@MainActor private func announce(_ words: String) {
    #if os(macOS)
    NSAccessibility.post(
        element: NSApplication.shared.mainWindow as Any, notification: .announcementRequested,
        userInfo: [.announcement: words, .priority: NSAccessibilityPriorityLevel.high.rawValue])
    #elseif os(watchOS)
    // An older watch reads it when the person comes to it.
    if #available(watchOS 10, *) { AccessibilityNotification.Announcement(words).post() }
    #else
    guard #available(iOS 17, tvOS 17, *) else {
        return UIAccessibility.post(notification: .announcement, argument: words)
    }
    let urgent = NSAttributedString(
        string: words, attributes: [.accessibilitySpeechAnnouncementPriority: UIAccessibilityPriority.high])
    UIAccessibility.post(notification: .announcement, argument: urgent)
    #endif
}
#endif
