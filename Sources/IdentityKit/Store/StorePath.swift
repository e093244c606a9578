import Foundation
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Paths of files that hold secrets, as a person writes them and as the system is given them.
///
/// Foundation's own way goes through `NSString`, whose `deletingLastPathComponent` ends the process for `.`, and which leaves
/// a `~user` that it does not know as it is.
package enum StorePath {
    /// What `written` names, absolute and without `.`, `..` and needless slashes.
    ///
    /// `~` at the beginning is the home folder. The home of somebody else has to be written out, because who that is differs
    /// from one machine to the next, and nobody else's folder is of use for a store. A folder that is really called so is
    /// written as `./~name`.
    /// - Parameters:
    ///   - written: the path.
    ///   - folder: what a relative path starts at; by default the folder this process works in.
    /// - Throws: ``StorePathError``.
    package static func absolute(
        _ written: String, in folder: String = FileManager.default.currentDirectoryPath
    ) throws(StorePathError) -> String {
        guard !written.isEmpty else { throw .empty }
        guard !written.utf8.contains(0) else { throw .unusable }
        guard written.utf8.first == UInt8(ascii: "~") else { return anchored(written, in: folder) }
        let rest = written.utf8.dropFirst()
        guard rest.first ?? slash == slash else { throw .otherHome(written) }
        return anchored(home + String(decoding: rest, as: UTF8.self), in: folder)
    }

    /// The same for a path in which `~` is a character like any other.
    static func anchored(_ path: String, in folder: String) -> String {
        let whole = isAbsolute(path) ? path : "\(folder)/\(path)"
        var names: [String] = []
        for name in whole.utf8.split(separator: slash).map({ String(decoding: $0, as: UTF8.self) }) {
            switch name {
            case ".": break
            case "..": _ = names.popLast()
            default: names.append(name)
            }
        }
        return "/" + names.joined(separator: "/")
    }

    /// The folder that the last name of `path` lies in: `.` for a name alone, `/` for the root itself.
    package static func folder(of path: String) -> String {
        var end = path.utf8.endIndex
        func drop(while condition: (UInt8) -> Bool) {
            while end > path.utf8.startIndex, condition(path.utf8[path.utf8.index(before: end)]) {
                end = path.utf8.index(before: end)
            }
        }
        drop { $0 == slash }
        drop { $0 != slash }
        guard end > path.utf8.startIndex else { return isAbsolute(path) ? "/" : "." }
        drop { $0 == slash }
        return end > path.utf8.startIndex ? String(decoding: path.utf8[..<end], as: UTF8.self) : "/"
    }

    /// Whether `path` begins neither at the root nor at a home folder.
    static func isRelative(_ path: String) -> Bool { !isAbsolute(path) && path.utf8.first != UInt8(ascii: "~") }

    /// The home folder of the person this process runs for, by the same rule as in the launcher of the tool: `HOME`, when it
    /// is an absolute path, otherwise what the system has on record.
    package static var home: String {
        if let home = ProcessVariables.home { return home }
        #if canImport(Darwin)
        return NSHomeDirectory()
        #else
        let recorded = getpwuid(geteuid())?.pointee.pw_dir.map { String(cString: $0) }
        return recorded.flatMap { isAbsolute($0) ? $0 : nil } ?? "/"
        #endif
    }

    private static let slash = UInt8(ascii: "/")

    private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }
}

/// A text is no path that a store can use.
package enum StorePathError: Error, Equatable {
    /// There is nothing.
    case empty
    /// No file can be called so.
    case unusable
    /// It begins with the home folder of somebody by name.
    case otherHome(String)

    /// What is wrong and what to do, as a sentence without its period.
    package var detail: String {
        switch self {
        case .empty: "the path is empty. Name a folder, such as ~/.local/state/example"
        case .unusable: "a path cannot have a NUL character"
        case .otherHome(let path):
            "\"\(path)\" begins with somebody's home folder by name, which is not looked up. Write the whole path, or ~/ for "
                + "your own home folder"
        }
    }
}
