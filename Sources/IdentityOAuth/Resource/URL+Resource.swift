import Foundation
import IdentityKit

extension URL {
    /// Whether a request for this address is one for `resource`: the same scheme, host and port, and a path at or below the
    /// resource's. A path with `.` or `..` is not, because a server may read it as another one.
    package func isInside(_ resource: URL) -> Bool {
        guard let own = URLParts(absoluteString), let outer = URLParts(resource.absoluteString), !own.hasUserInfo,
            let origin = own.serialOrigin, origin == outer.serialOrigin
        else { return false }
        let segments = own.path.lowercased().replacingOccurrences(of: "%2e", with: ".").split(separator: "/")
        guard !segments.contains("."), !segments.contains("..") else { return false }
        let path = outer.path.hasSuffix("/") ? String(outer.path.dropLast()) : outer.path
        return own.path.hasBytes(of: path) || own.path.utf8.starts(with: (path + "/").utf8)
    }
}
