import IdentityKit

extension AccountProfile {
    /// The person as every page shows them: what they are called, and below it what else they are known by.
    var html: HTML {
        let below: HTML? =
            details.isEmpty ? nil : "<span class=\"also quiet\">\(details.joined(separator: " · "))</span>"
        return "<strong>\(label ?? "somebody without a name")</strong>\(below)"
    }
}
