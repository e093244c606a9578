import Foundation

/// The addresses to which the tokens of a configuration's providers are sent. If ``routes`` is `true`, the addresses also
/// determine the provider whose account is used for a request that names no account.
package struct DestinationRules: Sendable, Equatable {
    /// The destinations of one provider.
    package struct Rule: Sendable, Equatable {
        package let provider: String
        /// The base addresses of the destinations. An address at or below one of them belongs to the destination.
        package let addresses: [URL]
        /// Whether the provider's tokens are sent to no other address.
        package let isLimit: Bool

        package init(_ provider: String, _ addresses: [URL], isLimit: Bool = false) {
            (self.provider, self.addresses, self.isLimit) = (provider, addresses, isLimit)
        }
    }

    /// Result of applying the rules to an address.
    package enum Finding: Sendable, Equatable {
        /// No destination contains the address.
        case unnamed
        /// The destination that contains the address, and its providers in the configuration's order. If several
        /// destinations contain the address, this is the destination with the longest path.
        case named(URL, providers: [String])
        /// Servers may interpret the address in different ways, and these providers have a destination at its host.
        case unclear(providers: [String])
    }

    package let rules: [Rule]
    /// Whether the destination that contains a request's address decides which provider's account acts.
    package let routes: Bool

    package init(_ rules: [Rule], routes: Bool = true) {
        self.rules = rules.filter { !$0.addresses.isEmpty || $0.isLimit }
        self.routes = routes
    }

    /// Finds the destination that contains `address`, comparing scheme, host, port and whole segments of the path. The
    /// destination with the longest path wins. The result is `unclear` if servers may interpret the address in different
    /// ways and a provider has a destination at its host.
    package func finding(at address: URL?) -> Finding {
        guard let address, !rules.isEmpty else { return .unnamed }
        let found = literal(address)
        // Compare the normalized address too: with a needless escape, such as `%61` for `a`, an address may seem to be
        // in a different destination from the one that the server reads.
        let isClear = address.hasOneReading && address.normalized.map(literal) == found
        let here = isClear ? [] : rules.filter { $0.addresses.contains { $0.isAtHost(of: address) } }
        return here.isEmpty ? found : .unclear(providers: here.map(\.provider))
    }

    /// Whether the tokens of `provider` may go to `address`. The tokens of a provider without a limit may go anywhere.
    package func allows(_ provider: String, at address: URL?) -> Bool {
        guard let rule = rules.first(where: { $0.isLimit && $0.provider.hasBytes(of: provider) }) else { return true }
        return rule.addresses.contains { address?.isInside($0) == true }
    }

    private func literal(_ address: URL) -> Finding {
        let places = rules.flatMap { rule in
            rule.addresses.filter(address.isInside).map { (address: $0, provider: rule.provider) }
        }
        guard let longest = places.max(by: { $0.address.lengthOfPath < $1.address.lengthOfPath }) else {
            return .unnamed
        }
        // Destinations with paths of the same length that contain the same address are equal.
        let names = places.filter { $0.address.lengthOfPath == longest.address.lengthOfPath }.map(\.provider)
        let providers = names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
        return .named(longest.address, providers: providers)
    }
}

extension URL {
    /// The origin and the path of the address, with needless escapes decoded; `nil` without a scheme or a host.
    fileprivate var normalized: URL? {
        guard let parts = URLParts(absoluteString), let origin = parts.serialOrigin else { return nil }
        return URL(string: origin + parts.normalizedPath)
    }

    fileprivate var hasOneReading: Bool {
        URLParts(absoluteString).map { $0.hasPlainPath && !$0.hasUserInfo } ?? false
    }

    fileprivate func isAtHost(of address: URL) -> Bool {
        guard let host, let other = address.host else { return false }
        return host.lowercased() == other.lowercased()
    }

    /// Length of the path in bytes, without a final slash.
    fileprivate var lengthOfPath: Int {
        let path = URLParts(absoluteString)?.path ?? ""
        return path.utf8.count - (path.hasSuffix("/") ? 1 : 0)
    }
}

extension SettingRule where Value == [URL] {
    /// Accepts absolute https addresses, and http addresses of this machine. They must have no user name, query or
    /// fragment, and a path that every server splits into the same segments.
    static var destinations: SettingRule {
        SettingRule { addresses in
            for (index, address) in addresses.enumerated() {
                let parts = URLParts(address.absoluteString)
                let isPlain = parts?.query == nil && parts?.fragment == nil && address.hasOneReading
                guard isPlain, let host = address.host, !host.isEmpty,
                    parts?.scheme == "https" || parts?.scheme == "http" && ServerURL.isLoopback(host)
                else {
                    throw SettingError(
                        "It must be an absolute https address without user name, query, \"..\" and escaped slashes.",
                        in: index)
                }
            }
        }
    }
}
