import Foundation
import IdentityKit

/// An address of the app that a browser may be sent to with a result.
struct RedirectAddress: Sendable, Hashable {
    let url: URL

    /// Checks `text`: absolute, without a user name, and not in the clear over a network.
    /// - Throws: ``InsForgeAuthError/invalidInput(_:)``.
    init(_ text: String) throws {
        guard let url = URL(string: text) else { throw Self.unusable }
        try self.init(url)
    }

    /// Checks `url`.
    /// - Throws: ``InsForgeAuthError/invalidInput(_:)``.
    init(_ url: URL) throws {
        guard let scheme = url.scheme?.lowercased(), url.user == nil, url.password == nil,
            // Addresses that a browser runs, or reads from the disk, are nobody's app.
            !["javascript", "data", "file", "about", "blob"].contains(scheme)
        else { throw Self.unusable }
        switch (scheme, url.host) {
        case ("https", nil), ("https", ""), ("http", nil): throw Self.unusable
        case ("http", let host?) where !ServerURL.isLoopback(host): throw Self.unusable
        default: self.url = url
        }
    }

    /// The address with a `state` in its query, which the server keeps (contract 2.4).
    func with(state: String) -> URL {
        let parts = url.absoluteString.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let address = parts.first.map(String.init) ?? ""
        let fragment = parts.count == 2 ? "#" + parts[1] : ""
        return URL(string: address + (address.contains("?") ? "&" : "?") + "state=" + state + fragment) ?? url
    }

    private static let unusable = InsForgeAuthError.invalidInput(
        "The redirect address must be absolute, such as yourapp://auth/callback or an https address of the app.")
}
