import Foundation

/// One page to open in a browser, and how the response to it is told from everything else that arrives at its address.
///
/// Any page and any program of the machine can request an address such as `http://127.0.0.1:49152/callback`. Whoever
/// listens there must not take the first request for the response, or anybody could end a sign-in.
public struct WebAuthenticationRequest: Sendable {
    /// The page to open.
    public let url: URL
    /// Where the backend sends the browser in the end.
    public let redirectURI: URL

    private let recognizes: @Sendable (URL) -> Bool

    /// A page to open.
    /// - Parameters:
    ///   - url: the page.
    ///   - redirectURI: where the backend sends the browser in the end.
    ///   - isResponse: whether an address that was requested is the response to this page, be it a success or an error.
    ///     It is asked about everything that arrives, more than once and on any thread. `nil` for one with the same
    ///     `state` as the page's own address (RFC 6749 section 10.12); where that has none, every address counts.
    public init(url: URL, redirectURI: URL, isResponse: (@Sendable (URL) -> Bool)? = nil) {
        self.url = url
        self.redirectURI = redirectURI
        let states = Self.states(in: url)
        recognizes =
            isResponse ?? { states.isEmpty || Self.states(in: $0).elementsEqual(states) { $0.hasBytes(of: $1) } }
    }

    /// Whether `callback` is the response to this page. It says nothing about whether it is to be trusted.
    public func isResponse(_ callback: URL) -> Bool { recognizes(callback) }

    private static func states(in url: URL) -> [String] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQueryItems ?? []
        return items.filter { $0.name == "state" }.map { item in
            let value = (item.value ?? "").replacingOccurrences(of: "+", with: " ")
            return value.removingPercentEncoding ?? value
        }
    }
}

extension WebAuthenticationRequest: CustomReflectable {
    /// Shows no query: it names the flow.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "url": url.addressAlone,
                "redirectURI": redirectURI.addressAlone,
            ])
    }
}
