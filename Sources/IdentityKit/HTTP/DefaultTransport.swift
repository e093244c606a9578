import Foundation
import IdentityStoreFormat

/// The transport that everything uses which is given no other.
public enum DefaultTransport {
    /// The variable that chooses one: `curl` or `urlsession`. Other values choose none.
    package static let variable = "SWIFT_IDENTITY_TRANSPORT"

    /// Makes the transport of this system.
    ///
    /// It is ``URLSessionTransport`` on Apple's systems. On Linux it is `CurlTransport`, unless the environment variable
    /// `SWIFT_IDENTITY_TRANSPORT` is `urlsession` or this system has no libcurl of version 7.80 or later.
    /// - Parameters:
    ///   - deadline: the longest time one request may take, from start to the last byte.
    ///   - maximumResponseSize: the largest body that is kept, in bytes.
    ///   - time: the clock that measures the deadline.
    public static func make(
        deadline: Duration = .seconds(30), maximumResponseSize: Int = 1 << 20, time: TimeSource = .system
    ) -> any HTTPTransport {
        #if canImport(CIdentityCurl)
        if isCurl(chosen: ProcessVariables.value(of: variable)),
            let transport = CurlTransport(deadline: deadline, maximumResponseSize: maximumResponseSize, time: time)
        {
            return transport
        }
        #endif
        return URLSessionTransport(deadline: deadline, maximumResponseSize: maximumResponseSize, time: time)
    }

    /// What sends the requests of this process, and why it is not the usual.
    package static var description: String {
        #if canImport(CIdentityCurl)
        if let missing = CurlTransport.missing { return "URLSession, because \(missing) was not found" }
        return isCurl(chosen: ProcessVariables.value(of: variable))
            ? CurlTransport.version ?? "libcurl" : "URLSession, because \(variable) says so"
        #else
        return "URLSession"
        #endif
    }

    private static func isCurl(chosen: String?) -> Bool { chosen != "urlsession" }
}
