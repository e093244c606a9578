import Foundation

extension URL {
    /// Whether this address belongs to `resource`: same scheme, host and port, and a path at or below the resource's,
    /// compared by whole segments. The result is `false` if either address has a user name or an ambiguous path.
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
    /// Whether every server splits the path into the same segments. No segment but the last may be empty, and no segment
    /// may be `.` or `..`, alone or followed by `;`. The path may contain neither a backslash nor an escaped slash or
    /// backslash, however often it is escaped.
    package var hasPlainPath: Bool {
        var (rest, ascii) = (Array(path.utf8)[...], [UInt8]())
        while let byte = rest.popFirst() {
            ascii.append(byte < 0x80 ? byte : UInt8(ascii: "x"))
            guard byte == UInt8(ascii: "%") else { continue }
            // Escaping `%2F` again gives `%252F`, and once more `%25252F`. Skip each `25`, so that all of them count as `%2F`.
            while rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
        }
        var text = String(decoding: ascii, as: UTF8.self).lowercased()
        for (escape, sign) in [("%2e", "."), ("%3b", ";"), ("%2f", "\\"), ("%5c", "\\")] {
            text = text.replacingOccurrences(of: escape, with: sign)
        }
        guard !text.contains("\\") else { return false }
        let segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return segments.dropLast().allSatisfy { !$0.isEmpty }
            && segments.allSatisfy { ![".", ".."].contains($0.prefix { $0 != ";" }) }
    }
}
