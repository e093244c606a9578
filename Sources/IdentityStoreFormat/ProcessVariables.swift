#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
// Sound, because the list is read before a second thread starts, and the program never changes it.
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

/// The environment of this process. Not copied to a dictionary, which would take a tenth of the launcher's time.
package enum ProcessVariables {
    package static func value(of name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The folder in a variable. A relative path is ignored (XDG Base Directory Specification).
    package static func folder(_ name: String) -> String? {
        value(of: name).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }

    /// The home folder in the variable `HOME`.
    package static var home: String? { folder("HOME") }

    /// Variable with the account that a command acts for.
    package static let account = "SWIFT_IDENTITY_ACCOUNT"

    /// Variable with the providers that take part.
    package static let provider = "SWIFT_IDENTITY_PROVIDER"

    /// Variable with a token for other programs.
    package static let token = "SWIFT_IDENTITY_TOKEN"

    /// Variable that selects the transport. Does not change the configuration.
    package static let transport = "SWIFT_IDENTITY_TRANSPORT"

    /// Whether any variable's name starts with `prefix`, apart from `exceptions`.
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
