import IdentityKit

extension AccountProfile {
    /// The person in HTML, the same on all pages: the label in bold, and below it the e-mail address and the user name,
    /// unless they repeat the label.
    var html: HTML {
        let below: HTML? =
            details.isEmpty ? nil : "<span class=\"also quiet\">\(details.joined(separator: " · "))</span>"
        return "<strong>\(label ?? "somebody without a name")</strong>\(below)"
    }
}
