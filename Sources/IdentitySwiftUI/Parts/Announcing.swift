#if canImport(SwiftUI)
import SwiftUI

#if os(watchOS)
import Accessibility
#endif

extension View {
    /// Makes the screen reader speak `words` when the view appears and whenever they change; `nil` for silence.
    package func announcing(_ words: String?) -> some View {
        task(id: words) { if let words { announce(words) } }
    }
}

/// Makes the screen reader speak `words`. The announcement has high priority where the system has priorities, because a
/// move of the focus would interrupt an announcement of usual priority.
@MainActor private func announce(_ words: String) {
    #if os(macOS)
    NSAccessibility.post(
        element: NSApplication.shared.mainWindow as Any, notification: .announcementRequested,
        userInfo: [.announcement: words, .priority: NSAccessibilityPriorityLevel.high.rawValue])
    #elseif os(watchOS)
    // Older versions of watchOS read the text only when the person moves to it.
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
