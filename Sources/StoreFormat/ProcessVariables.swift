#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
// Sound: the list is read before there is a second thread, in a program that never changes it.
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

/// The environment of this process, read where it is: a dictionary of it takes a tenth of the launcher's time.
package enum ProcessVariables {
    /// The text of a variable.
    package static func value(of name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The folder a variable names. A path that is not absolute is to be ignored (XDG Base Directory Specification).
    package static func folder(_ name: String) -> String? {
        value(of: name).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }

    /// The home folder that `HOME` names. Every program of the package means the same by it; one that needs more than this
    /// to find it out asks the whole tool.
    package static var home: String? { folder("HOME") }

    /// Whether there is a variable with such a name.
    package static func contain(prefix: String) -> Bool {
        var entry = list
        while let variable = entry?.pointee {
            if strncmp(variable, prefix, prefix.utf8.count) == 0 { return true }
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
