import IdentityKit

/// An OAuth provider an InsForge project can offer (contract 2.3).
public enum OAuthProvider: String, Sendable, Hashable, Codable, CaseIterable {
    case google
    case github
    case discord
    case linkedin
    case facebook
    case instagram
    case tiktok
    case apple
    case x
    case spotify
    case microsoft
}
