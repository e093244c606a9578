import ArgumentParser
import IdentityKit

/// Checks of paths on the command line.
enum ArgumentPath {
    /// Returns `written` unchanged, after checking that it is a valid path. The command resolves the path later, when the
    /// working folder is known.
    /// - Throws: `ValidationError` for an empty text, a null byte, or the home folder of another user.
    static func checked(_ written: String) throws -> String {
        _ = try valid { () throws(StorePathError) in try StorePath.absolute(written, in: "/", home: "/home") }
        return written
    }

    /// Returns the path that `body` returns.
    /// - Throws: `ValidationError` with the text of the `StorePathError` that `body` throws.
    static func valid(_ body: () throws(StorePathError) -> String) throws -> String {
        do throws(StorePathError) {
            return try body()
        } catch {
            throw ValidationError("\(error.detail.prefix(1).uppercased())\(error.detail.dropFirst()).")
        }
    }
}
