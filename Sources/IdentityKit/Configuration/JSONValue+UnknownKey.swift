extension JSONValue {
    /// Uses this value as a JSON Schema to find an unknown key in the object that lacks the key `missing`. The unknown key
    /// is often a misspelling of the missing key.
    /// - Parameters:
    ///   - value: the value that the schema describes.
    ///   - keyPath: the key path of the value.
    ///   - missing: the key path of the missing key.
    /// - Returns: the error for the alphabetically first unknown key; `nil` when the schema knows every key of that object,
    ///   or allows arbitrary keys.
    func unknownKey(in value: JSONValue, at keyPath: String, beside missing: String) -> ConfigurationError? {
        if let elements = value.arrayValue {
            return elements.enumerated().lazy.compactMap { index, element in
                self["items"]?.unknownKey(in: element, at: "\(keyPath)[\(index)]", beside: missing)
            }.first
        }
        guard self["additionalProperties"] == false, let members = value.objectValue else { return nil }
        let known = (self["properties"]?.objectValue ?? [:]).keys.sorted()
        let path = SettingsNode.join(keyPath, "")
        if missing.hasPrefix(path), !missing.dropFirst(path.count).contains(".") {
            return members.keys.filter { !known.contains($0) }.min()
                .map { ConfigurationError.unknownKey(keyPath: SettingsNode.join(keyPath, $0), known: known) }
        }
        return members.sorted { $0.key < $1.key }.lazy.compactMap { key, member in
            self["properties"]?[key]?.unknownKey(in: member, at: SettingsNode.join(keyPath, key), beside: missing)
        }.first
    }
}
