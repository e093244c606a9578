extension ConfigurationError {
    /// Converts the error that the `init(from:)` of a setting's type threw.
    /// - Parameters:
    ///   - error: the thrown error.
    ///   - type: the type of the setting. For an enumeration, the new error lists the accepted values.
    ///   - keyPath: the key path of the setting.
    ///   - unread: the keys of the setting's object that were not read. One of them may be a misspelling of a missing key.
    ///   - text: the setting's value if it is a string. The new error quotes it if `type` is an enumeration.
    init(
        _ error: DecodingError, decoding type: any Decodable.Type, at keyPath: String, unread: [String] = [],
        text: String? = nil
    ) {
        switch error {
        case .dataCorrupted(let context):
            let path = context.codingPath.reduce(keyPath, SettingsNode.join)
            if let failure = context.underlyingError as? any IdentityFailure {
                self = .invalidValue(keyPath: path, reason: failure.message)
            } else if let enumeration = type as? any CaseIterable.Type {
                let accepted = Self.rawValues(of: enumeration)
                let found = text.map { "It is \"\($0)\". " + Self.suggestion(for: $0, in: accepted) } ?? ""
                self = .invalidValue(
                    keyPath: path, reason: "\(found)Accepted: \(accepted.joined(separator: ", ")).")
            } else {
                self = .invalidValue(keyPath: path, reason: context.debugDescription)
            }
        case .keyNotFound(let key, let context):
            self = .missingKey(
                keyPath: (context.codingPath + [key]).reduce(keyPath, SettingsNode.join),
                misspelling: context.codingPath.isEmpty ? key.stringValue.similarName(in: unread) : nil)
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            let path = context.codingPath.reduce(keyPath, SettingsNode.join)
            self = .invalidValue(keyPath: path, reason: context.debugDescription)
        @unknown default:
            self = .invalidValue(keyPath: keyPath, reason: error.localizedDescription)
        }
    }

    private static func rawValues<Enumeration: CaseIterable>(of type: Enumeration.Type) -> [String] {
        type.allCases.map { value in
            if let raw = (value as? any RawRepresentable)?.rawValue { "\(raw)" } else { "\(value)" }
        }
    }
}
