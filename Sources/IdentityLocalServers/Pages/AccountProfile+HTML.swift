import IdentityKit

extension AccountProfile {
    /// The person in HTML, the same on all pages: the name, and below it the e-mail address and user name.
    var html: HTML {
        let below: HTML? =
            details.isEmpty ? nil : "<span class=\"also quiet\">\(details.joined(separator: " · "))</span>"
        return "<strong>\(label ?? "somebody without a name")</strong>\(below)"
    }
}
