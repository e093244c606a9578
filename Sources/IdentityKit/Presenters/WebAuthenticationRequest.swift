import Foundation

/// A page to open in a browser, and how to recognize the response to it.
///
/// Any web page and any program on the machine can send a request to an address such as `http://127.0.0.1:49152/callback`.
/// Therefore, a listener accepts only a response that ``isResponse(_:)`` recognizes. If it accepted the first request, any
/// sender could end a sign-in.
public struct WebAuthenticationRequest: Sendable {
    /// The address of the page to open, such as an authorization request (RFC 6749 section 4.1.1).
    public let url: URL
    /// The address to which the authorization server redirects the browser.
    public let redirectURI: URL
    /// A sentence to show before the page opens; `nil` for none. It may say which resource asks for the sign-in, and
    /// which authorization server that resource names.
    public var notice: String?
    /// Returns the error code of a response without `state`; `nil` when the address reports no such error. Any sender
    /// may have made up such a response.
    package var unconfirmedError: @Sendable (URL) -> String? = { _ in nil }
    /// Details of a sign-out; `nil` for a sign-in.
    package var signOut: SignOut?

    private let recognizes: @Sendable (URL) -> Bool

    /// Makes a request to open a page.
    /// - Parameters:
    ///   - url: the address of the page.
    ///   - redirectURI: the address to which the authorization server redirects the browser.
    ///   - isResponse: returns whether an address is the response to this page, be it a success or an error. It may be
    ///     called several times and on any thread. By default, a response has the same `state` as the page's address
    ///     (RFC 6749 section 10.12); a page without `state` accepts every address.
    public init(url: URL, redirectURI: URL, isResponse: (@Sendable (URL) -> Bool)? = nil) {
        self.url = url
        self.redirectURI = redirectURI
        let states = Self.states(in: url)
        recognizes =
            isResponse ?? { states.isEmpty || Self.states(in: $0).elementsEqual(states) { $0.hasBytes(of: $1) } }
    }

    /// Details of a request that opens the sign-out page of an OpenID Connect server.
    package struct SignOut: Sendable {
        /// The form that ``LoopbackListener`` lets the browser post instead of opening ``url``, so that the ID token is
        /// in no address; `nil` when ``url`` contains no ID token.
        package let form: Form?

        package init(form: Form?) { self.form = form }
    }

    /// A form that the browser posts to `action`, so that no value is in an address.
    package struct Form: Sendable {
        package let action: URL
        package let fields: [(name: String, value: Secret)]

        package init(action: URL, fields: [(name: String, value: Secret)]) {
            (self.action, self.fields) = (action, fields)
        }
    }

    /// Whether `callback` is the response to this page. The caller must still verify the response, such as its issuer.
    public func isResponse(_ callback: URL) -> Bool { recognizes(callback) }

    private static func states(in url: URL) -> [String] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQueryItems ?? []
        return items.filter { $0.name == "state" }.map { item in
            let value = (item.value ?? "").replacingOccurrences(of: "+", with: " ")
            return value.removingPercentEncoding ?? value
        }
    }
}

extension WebAuthenticationRequest: Reticent {
    /// Shows the addresses without user name, password, query and fragment.
    package var shown: KeyValuePairs<String, Any> {
        ["url": url.addressAlone, "redirectURI": redirectURI.addressAlone]
    }
}
