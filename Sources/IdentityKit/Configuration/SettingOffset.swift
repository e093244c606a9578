import IdentityStoreFormat

/// Finds the byte offsets of settings in a JSON document, and repeated members. The document must be valid JSON.
enum SettingOffset {
    /// Byte offset of a setting. For a missing setting, the offset of the innermost value on its key path that exists.
    /// Among members of the same name, the last counts.
    /// - Parameters:
    ///   - keyPath: the key path of the setting.
    ///   - isKey: whether to return the offset of the key instead of that of the value. For an element of an array, which has
    ///     no key, the offset of the value is returned.
    ///   - bytes: the document.
    static func of(_ keyPath: String, isKey: Bool, in bytes: [UInt8]) -> Int? {
        var found: (depth: Int, offset: Int)?
        try? walk(bytes) { path, key, value, _ in
            let isOnTheWay =
                path.isEmpty || path == keyPath || keyPath.hasPrefix(path + ".") || keyPath.hasPrefix(path + "[")
            guard isOnTheWay, path.utf8.count >= found?.depth ?? 0 else { return }
            found = (path.utf8.count, isKey && path == keyPath ? key : value)
        }
        return found?.offset
    }

    /// Key path of the first member whose name occurs earlier in the same object; `nil` if no name is repeated.
    static func repetition(in bytes: [UInt8]) -> String? {
        var repeated: String?
        try? walk(bytes) { path, _, _, isRepeated in
            if isRepeated, repeated == nil { repeated = path }
        }
        return repeated
    }

    private typealias Visit = (_ path: String, _ key: Int, _ value: Int, _ isRepeated: Bool) -> Void

    private static func walk(_ bytes: [UInt8], _ visit: Visit) throws(JSONReader.SyntaxError) {
        let start =
            bytes.starts(with: ConfigurationDocument.byteOrderMark)
            ? ConfigurationDocument.byteOrderMark.count : 0
        var reader = JSONReader(bytes, from: start, deepest: DocumentLimits.maximumDepth)
        _ = reader.kind()
        visit("", reader.offset, reader.offset, false)
        try walk("", &reader, visit)
    }

    private static func walk(
        _ path: String, _ reader: inout JSONReader, _ visit: Visit
    ) throws(JSONReader.SyntaxError) {
        switch reader.kind() {
        case .object:
            var names: Set<String> = []
            try reader.members { name, reader throws(JSONReader.SyntaxError) in
                let (key, path) = (reader.nameOffset, SettingsNode.join(path, name))
                _ = reader.kind()
                visit(path, key, reader.offset, !names.insert(name).inserted)
                try walk(path, &reader, visit)
            }
        case .array:
            var index = 0
            try reader.elements { reader throws(JSONReader.SyntaxError) in
                _ = reader.kind()
                visit("\(path)[\(index)]", reader.offset, reader.offset, false)
                try walk("\(path)[\(index)]", &reader, visit)
                index += 1
            }
        default: try reader.skip()
        }
    }
}
