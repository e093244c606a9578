import ArgumentParser
import IdentityKit

/// A path of the command line.
enum ArgumentPath {
    /// `written`, which is resolved once it is known where the command runs.
    /// - Throws: `ValidationError` for what is no path anywhere.
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
