import IdentityKit

extension AccountProfile {
    /// The person as every page shows them: what they are called, and below it what else they are known by.
    var html: HTML {
        let label = label ?? "somebody without a name"
        let others = [email, username].compactMap { $0 }.filter { $0 != label }
        let below: HTML? =
            others.isEmpty ? nil : "<span class=\"also quiet\">\(others.joined(separator: " · "))</span>"
        return "<strong>\(label)</strong>\(below)"
    }
}
