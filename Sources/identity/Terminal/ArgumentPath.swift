import ArgumentParser
import IdentityKit

/// A path of the command line.
enum ArgumentPath {
    /// What `written` names, absolute, by the rules of a store's folder: `~` and `..` mean the same everywhere.
    /// - Throws: `ValidationError`.
    static func absolute(_ written: String) throws -> String {
        do throws(StorePathError) {
            return try StorePath.absolute(written)
        } catch {
            throw ValidationError("\(error.detail.prefix(1).uppercased())\(error.detail.dropFirst()).")
        }
    }
}
