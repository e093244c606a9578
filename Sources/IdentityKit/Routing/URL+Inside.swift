import Foundation

extension URL {
    /// Whether this address belongs to `resource`: same scheme, host and port, and a path at or below the resource's,
    /// compared by whole segments. An ambiguous path belongs to no resource.
    package func isInside(_ resource: URL) -> Bool {
        guard let own = URLParts(absoluteString), let outer = URLParts(resource.absoluteString), !own.hasUserInfo,
            !outer.hasUserInfo, let origin = own.serialOrigin, origin == outer.serialOrigin, own.hasPlainPath,
            outer.hasPlainPath
        else { return false }
        let path = outer.path.hasSuffix("/") ? String(outer.path.dropLast()) : outer.path
        return own.path.hasBytes(of: path) || own.path.utf8.starts(with: (path + "/").utf8)
    }
}

extension URLParts {
    /// Whether every server splits the path into the same segments: none but the last is empty, none is `.` or `..`
    /// even without its parameters, and no escape hides a separator, however often it is decoded.
    package var hasPlainPath: Bool {
        let ascii = path.utf8.map { $0 < 0x80 ? $0 : UInt8(ascii: "x") }
        var text = String(decoding: ascii, as: UTF8.self).lowercased()
        while text.contains("%25") { text = text.replacingOccurrences(of: "%25", with: "%") }
        for (escape, sign) in [("%2e", "."), ("%3b", ";"), ("%2f", "\\"), ("%5c", "\\")] {
            text = text.replacingOccurrences(of: escape, with: sign)
        }
        guard !text.contains("\\") else { return false }
        let segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return segments.dropLast().allSatisfy { !$0.isEmpty }
            && segments.allSatisfy { ![".", ".."].contains($0.prefix { $0 != ";" }) }
    }
}
