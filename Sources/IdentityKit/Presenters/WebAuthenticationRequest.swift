import Foundation

/// A page to open in a browser, and how to recognize the response to it.
///
/// Every page and program on the machine can send a request to an address such as `http://127.0.0.1:49152/callback`. A
/// listener that took the first request for the response would let each of them end a sign-in.
public struct WebAuthenticationRequest: Sendable {
    /// The page to open.
    public let url: URL
    /// The address to which the authorization server redirects the browser.
    public let redirectURI: URL
    /// A sentence to show before the page about a resource that asks for the sign-in and names its server itself; `nil`
    /// for none.
    public var notice: String?
    /// Returns the code of an error in an address that does not prove that it belongs to this page; `nil` without such
    /// an error.
    package var unconfirmedError: @Sendable (URL) -> String? = { _ in nil }
    /// Details of a sign-out; `nil` for a sign-in.
    package var signOut: SignOut?

    private let recognizes: @Sendable (URL) -> Bool

    /// Makes a request to open a page.
    /// - Parameters:
    ///   - url: the page.
    ///   - redirectURI: where the authorization server redirects the browser to.
    ///   - isResponse: whether an address is the response to this page, a success or an error. It is called for every
    ///     request, more than once and on any thread. By default a response has the same `state` as the page's address
    ///     (RFC 6749 section 10.12); a page without `state` accepts every address.
    public init(url: URL, redirectURI: URL, isResponse: (@Sendable (URL) -> Bool)? = nil) {
        self.url = url
        self.redirectURI = redirectURI
        let states = Self.states(in: url)
        recognizes =
            isResponse ?? { states.isEmpty || Self.states(in: $0).elementsEqual(states) { $0.hasBytes(of: $1) } }
    }

    /// Details of the page of a sign-out.
    package struct SignOut: Sendable {
        /// The form that a page of ``LoopbackListener`` posts instead of opening ``url``, so that no address contains
        /// an ID token; `nil` when ``url`` contains none anyway.
        package let form: Form?

        package init(form: Form?) { self.form = form }
    }

    /// A form, and the address to which it is posted.
    package struct Form: Sendable {
        package let action: URL
        package let fields: [(name: String, value: Secret)]

        package init(action: URL, fields: [(name: String, value: Secret)]) {
            (self.action, self.fields) = (action, fields)
        }
    }

    /// Whether `callback` is the response to this page. A response still has to be checked.
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
