import ArgumentParser
import IdentityKit

/// A path of the command line.
enum ArgumentPath {
    /// The absolute path of `written`, by the rules for a store's folder.
    /// - Throws: `ValidationError`.
    static func absolute(_ written: String) throws -> String {
        do throws(StorePathError) {
            return try StorePath.absolute(written)
        } catch {
            throw ValidationError("\(error.detail.prefix(1).uppercased())\(error.detail.dropFirst()).")
        }
    }
}
