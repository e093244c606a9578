import ArgumentParser
import IdentityKit

/// Checks of paths on the command line.
enum ArgumentPath {
    /// `written`, after a check that it is a valid path. It is resolved later, when the working folder is known.
    /// - Throws: `ValidationError` for a text that is not a path on any system.
    static func checked(_ written: String) throws -> String {
        _ = try valid { () throws(StorePathError) in try StorePath.absolute(written, in: "/", home: "/home") }
        return written
    }

    /// The path that `body` returns.
    /// - Throws: `ValidationError`.
    static func valid(_ body: () throws(StorePathError) -> String) throws -> String {
        do throws(StorePathError) {
            return try body()
        } catch {
            throw ValidationError("\(error.detail.prefix(1).uppercased())\(error.detail.dropFirst()).")
        }
    }
}
