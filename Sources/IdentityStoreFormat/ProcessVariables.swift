#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
// Reading `environ` without a lock is safe: only the program `identity-launcher` reads the list, before it starts a
// second thread, and never changes it.
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

/// The environment variables of this process. Each call reads the environment itself, because a copy in a dictionary
/// would take a tenth of the time that `identity-launcher` runs.
package enum ProcessVariables {
    package static func value(of name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Returns the folder that a variable names; `nil` when the variable is unset or its path is relative (XDG Base
    /// Directory Specification).
    package static func folder(_ name: String) -> String? {
        value(of: name).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }

    /// The home folder in the variable `HOME`; `nil` when the variable is unset or its path is relative.
    package static var home: String? { folder("HOME") }

    /// Variable with the identifier or name of the account for which a command acts.
    package static let account = "SWIFT_IDENTITY_ACCOUNT"

    /// Variable with the names of the providers to use. A `-` before a name excludes that provider instead.
    package static let provider = "SWIFT_IDENTITY_PROVIDER"

    /// Variable in which `identity exec` passes an access token to the command that it runs.
    package static let token = "SWIFT_IDENTITY_TOKEN"

    /// Variable that selects the HTTP transport, such as `urlsession`. The configuration does not depend on it.
    package static let transport = "SWIFT_IDENTITY_TRANSPORT"

    /// Whether the name of any variable starts with `prefix`, except for the variables named in `exceptions`.
    package static func contain(prefix: String, besides exceptions: [String]) -> Bool {
        var entry = list
        while let variable = entry?.pointee {
            if strncmp(variable, prefix, prefix.utf8.count) == 0,
                !exceptions.contains(where: { strncmp(variable, $0 + "=", $0.utf8.count + 1) == 0 })
            {
                return true
            }
            entry = entry?.successor()
        }
        return false
    }

    private static var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
        #if canImport(Darwin)
        _NSGetEnviron().pointee
        #else
        environ
        #endif
    }
}
