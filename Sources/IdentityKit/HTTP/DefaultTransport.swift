import Foundation
import IdentityStoreFormat

/// Makes the transport that the framework uses when an app sets none.
public enum DefaultTransport {
    /// Environment variable that selects `URLSession` on Linux, when its value is `urlsession`.
    package static let variable = ProcessVariables.transport

    /// Makes the transport of this system.
    ///
    /// The default is `URLSessionTransport` on Apple's systems, and on Linux `CurlTransport`, unless the
    /// environment variable `SWIFT_IDENTITY_TRANSPORT` is `urlsession` or this system has no libcurl of version 7.80
    /// or later.
    /// - Parameters:
    ///   - deadline: the longest time one request may take, from start to the last byte; for a stream, to the end of the head.
    ///   - maximumResponseSize: the largest accepted body, in bytes. For a response with a person's profile, a smaller limit
    ///     is raised to 16 MiB. The body of a stream has no limit.
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

    package static var name: String {
        #if canImport(CIdentityCurl)
        if isCurl(chosen: ProcessVariables.value(of: variable)), let version = CurlTransport.version { return version }
        #endif
        return "URLSession"
    }

    /// Name of the library, function or option that `CurlTransport` needs and this system lacks; `nil` when nothing is
    /// missing, and on Apple's systems.
    package static var missing: String? {
        #if canImport(CIdentityCurl)
        CurlTransport.missing
        #else
        nil
        #endif
    }

    private static func isCurl(chosen: String?) -> Bool { chosen != "urlsession" }
}
