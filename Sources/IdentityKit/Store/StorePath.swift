import Foundation
import IdentityStoreFormat

/// Computes the paths of files that hold secrets.
///
/// Foundation's path functions are not used: `NSString.deletingLastPathComponent` crashes for `.`, and the tilde expansion
/// leaves an unknown `~user` as it is.
package enum StorePath {
    /// The absolute path of `written`, without `.`, `..` and duplicate slashes.
    ///
    /// `~` at the beginning is the home folder. `~user` is refused, because it differs between machines and another
    /// user's folder is of no use for a store. Write `./~name` for a folder with such a name. If the home folder is missing
    /// or is the root folder, `~` is refused as well.
    /// - Parameters:
    ///   - written: the path as it was configured: absolute, relative, or beginning with `~`.
    ///   - folder: the folder that a relative path is resolved against; by default the working directory.
    ///   - home: the home folder; by default ``home``.
    /// - Throws: ``StorePathError``.
    package static func absolute(
        _ written: String, in folder: String = FileManager.default.currentDirectoryPath, home: String? = nil
    ) throws(StorePathError) -> String {
        guard !written.isEmpty else { throw .empty }
        guard !written.utf8.contains(0) else { throw .unusable }
        guard written.utf8.first == UInt8(ascii: "~") else { return anchored(written, in: folder) }
        let rest = written.utf8.dropFirst()
        guard rest.first ?? slash == slash else { throw .otherHome(written) }
        let home = home ?? self.home
        guard home != noHome else { throw .noHome(written) }
        return anchored(home + String(decoding: rest, as: UTF8.self), in: folder)
    }

    /// Makes a path absolute, and removes `.`, `..` and duplicate slashes. A `~` in the path has no special meaning.
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

    /// Folder that contains the last component of `path`: `.` for a plain name, `/` for the root itself.
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

    /// The path behind a symbolic link of this user or of root; otherwise `path` itself, which need not exist.
    /// - Throws: ``/IdentityCore/TokenStoreError/insecure(path:detail:)`` for a link of another user,
    ///   ``/IdentityCore/TokenStoreError/notWritable(path:detail:)`` for a link that leads nowhere.
    static func target(of path: String) throws(TokenStoreError) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .insecure(path: path, detail: "it is a symbolic link of another user")
        }
        guard let resolved = realpath(path, nil) else {
            let reason = SystemCallError.current.detail
            throw .notWritable(path: path, detail: "it is a symbolic link whose target cannot be found (\(reason))")
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether `path` starts neither with `/` nor with `~`.
    static func isRelative(_ path: String) -> Bool { !isAbsolute(path) && path.utf8.first != UInt8(ascii: "~") }

    /// Home folder of the current user: the variable `HOME` if it is an absolute path, otherwise `NSHomeDirectory()` on
    /// Apple systems, and the home folder in the user database elsewhere. The root folder stands for a missing home
    /// folder.
    package static var home: String { home(ProcessVariables.value) }

    /// Home folder as ``home`` finds it, but with the environment variables that `variable` returns.
    package static func home(_ variable: (_ name: String) -> String?) -> String {
        if let home = variable("HOME"), isAbsolute(home) { return home }
        #if canImport(Darwin)
        return NSHomeDirectory()
        #else
        let recorded = getpwuid(geteuid())?.pointee.pw_dir.map { String(cString: $0) }
        return recorded.flatMap { isAbsolute($0) ? $0 : nil } ?? noHome
        #endif
    }

    /// Stands for a missing home folder.
    private static let noHome = "/"

    private static let slash = UInt8(ascii: "/")

    private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }
}

/// Reason why a text is not usable as a path of a store.
package enum StorePathError: Error, Equatable {
    case empty
    /// The path has a NUL character.
    case unusable
    /// The path begins with `~user`.
    case otherHome(String)
    /// The path begins with `~`, and there is no home folder.
    case noHome(String)

    /// Description of the mistake, in most cases with its remedy, without a period at the end.
    package var detail: String {
        switch self {
        case .empty: "the path is empty. Name a folder, such as ~/.local/state/example"
        case .unusable: "a path cannot have a NUL character"
        case .otherHome(let path):
            "\"\(path)\" begins with a user's home folder by name, which is not looked up. Write the whole path, or ~/ for "
                + "your own home folder"
        case .noHome(let path):
            "\"\(path)\" begins with the home folder, and there is none. Set HOME, or name another place, as in "
                + "\"store\": {\"type\": \"file\", \"folder\": \"/var/lib/example\"}"
        }
    }
}
