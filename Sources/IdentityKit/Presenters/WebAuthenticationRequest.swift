import Foundation

/// A page to open in a browser, and how to recognize the response to it.
///
/// Every page and program on the machine can send a request to an address such as `http://127.0.0.1:49152/callback`. If a
/// listener took the first request for the response, each of them could end a sign-in.
public struct WebAuthenticationRequest: Sendable {
    /// The page to open.
    public let url: URL
    /// The address to which the authorization server redirects the browser.
    public let redirectURI: URL
    /// A sentence about who asks, to be shown before the page: a resource that names its server itself; `nil` for none.
    public var notice: String?
    /// The code of an error that an address reports without a sign that it belongs to this page; `nil` where it reports none.
    package var unconfirmedError: @Sendable (URL) -> String? = { _ in nil }
    /// The page of a sign-out; `nil` for that of a sign-in.
    package var signOut: SignOut?

    private let recognizes: @Sendable (URL) -> Bool

    /// A page to open.
    /// - Parameters:
    ///   - url: the page.
    ///   - redirectURI: where the authorization server redirects the browser to.
    ///   - isResponse: whether an address is the response to this page, a success or an error. It is called for every
    ///     request, more than once and on any thread. By default a response has the same `state` as the page's address
    ///     (RFC 6749 section 10.12); where that has none, every address is one.
    public init(url: URL, redirectURI: URL, isResponse: (@Sendable (URL) -> Bool)? = nil) {
        self.url = url
        self.redirectURI = redirectURI
        let states = Self.states(in: url)
        recognizes =
            isResponse ?? { states.isEmpty || Self.states(in: $0).elementsEqual(states) { $0.hasBytes(of: $1) } }
    }

    /// The particulars of a sign-out's page.
    package struct SignOut: Sendable {
        /// The form that ``LoopbackListener`` posts by a page of its own in the place of ``url``, so that no address has an ID token
        /// in it; `nil` where ``url`` has none either.
        package let form: Form?

        package init(form: Form?) { self.form = form }
    }

    /// A form, and where it is sent.
    package struct Form: Sendable {
        package let action: URL
        package let fields: [(name: String, value: Secret)]

        package init(action: URL, fields: [(name: String, value: Secret)]) {
            (self.action, self.fields) = (action, fields)
        }
    }

    /// Whether `callback` is the response to this page. The response is not trusted.
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
    /// Shows the addresses without their queries.
    public var customMirror: Mirror {
        Mirror(self, showing: ["url": url.addressAlone, "redirectURI": redirectURI.addressAlone])
    }
}
