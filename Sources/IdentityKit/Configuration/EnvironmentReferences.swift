import Foundation

/// Replaces references to environment variables in a document, so that secrets need not be in the file. A reference is
/// `${NAME}` anywhere in a string value. `$${` stands for a literal `${`. References in the value of a variable are not
/// replaced.
struct EnvironmentReferences {
    struct Resolved {
        var value: JSONValue
        /// Key paths of the strings in which a reference was replaced.
        var texts: Set<String> = []
        /// Strings in which a reference was replaced, as the document has them, by the strings that came of them.
        var originals: [String: String] = [:]
        /// The values of the variables that were referred to, by name.
        var used: [String: String] = [:]

        /// Returns `error` with `${NAME}` in place of the variables' values, because a value may be secret.
        ///
        /// - In the reason of ``ConfigurationError/invalidValue(keyPath:reason:)``, all values of at least four characters are
        ///   replaced. A shorter value may be a part of any word, so it is replaced only where the reason quotes the whole
        ///   string with the reference.
        /// - Other cases of ``ConfigurationError`` are returned unchanged.
        /// - If the message of an error of another type contains a value of at least eight characters, the result is a
        ///   ``ConfigurationError/invalidValue(keyPath:reason:)`` at `place`, with the message as its reason. Shorter values
        ///   are not considered secrets and not replaced. Without a value of this length, the error is returned unchanged.
        func hidingValues(in error: any Error, at place: String) -> any Error {
            switch error {
            case ConfigurationError.invalidValue(let keyPath, let reason):
                let reason = originals.reduce(reason) {
                    $0.replacingOccurrences(of: "\"\($1.key)\"", with: "\"\($1.value)\"")
                }
                return ConfigurationError.invalidValue(keyPath: keyPath, reason: hidingValues(in: reason, from: 4))
            case is ConfigurationError: return error
            default:
                let message = error.identityMessage
                let reason = hidingValues(in: message, from: 8)
                return reason == message ? error : ConfigurationError.invalidValue(keyPath: place, reason: reason)
            }
        }

        private func hidingValues(in text: String, from length: Int) -> String {
            used.sorted { $0.value.count > $1.value.count }.filter { $0.value.count >= length }
                .reduce(text) { $0.replacingOccurrences(of: $1.value, with: "${\($1.key)}") }
        }
    }

    private let variables: [String: String]

    init(_ variables: [String: String]) {
        self.variables = variables
    }

    /// Replaces the references in all strings of `value`, but not in keys.
    /// - Throws: ``ConfigurationError/missingVariable(keyPath:name:)``,
    ///   ``ConfigurationError/emptyVariable(keyPath:name:)`` or, for a malformed or unterminated reference,
    ///   ``ConfigurationError/invalidValue(keyPath:reason:)``.
    func resolve(_ value: JSONValue, at keyPath: String) throws -> Resolved {
        var resolved = Resolved(value: value)
        resolved.value = try resolve(value, at: keyPath, &resolved)
        return resolved
    }

    private func resolve(_ value: JSONValue, at keyPath: String, _ resolved: inout Resolved) throws -> JSONValue {
        switch value {
        case .string(let text):
            return .string(try resolve(text, at: keyPath, &resolved))
        case .array(let elements):
            return .array(
                try elements.enumerated().map { try resolve($1, at: "\(keyPath)[\($0)]", &resolved) })
        case .object(let members):
            var result: [String: JSONValue] = [:]
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                result[key] = try resolve(member, at: SettingsNode.join(keyPath, key), &resolved)
            }
            return .object(result)
        case .null, .bool, .integer, .number:
            return value
        }
    }

    private func resolve(_ text: String, at keyPath: String, _ resolved: inout Resolved) throws -> String {
        guard text.contains("${") else { return text }
        var result = ""
        var rest = Substring(text)
        while let opening = rest.range(of: "${") {
            if rest[..<opening.lowerBound].hasSuffix("$") {
                result += rest[..<opening.lowerBound].dropLast() + "${"
                rest = rest[opening.upperBound...]
                continue
            }
            guard let closing = rest[opening.upperBound...].firstIndex(of: "}") else {
                throw ConfigurationError.invalidValue(keyPath: keyPath, reason: "A reference ${ has no }.")
            }
            let name = String(rest[opening.upperBound..<closing])
            guard !name.isEmpty, name.unicodeScalars.allSatisfy(Self.isPartOfName) else {
                throw ConfigurationError.invalidValue(
                    keyPath: keyPath, reason: "\"${\(name)}\" is no variable; defaults are not supported.")
            }
            guard let variable = variables[name] else {
                throw ConfigurationError.missingVariable(keyPath: keyPath, name: name)
            }
            resolved.texts.insert(keyPath)
            resolved.used[name] = variable
            result += rest[..<opening.lowerBound] + variable
            rest = rest[rest.index(after: closing)...]
        }
        result += rest
        if resolved.texts.contains(keyPath) { resolved.originals[result] = text }
        // Refuse a text that consists only of empty variables, because few settings make sense when they are empty.
        if result.isEmpty, let name = resolved.used.keys.sorted().first(where: { text.contains("${\($0)}") }) {
            throw ConfigurationError.emptyVariable(keyPath: keyPath, name: name)
        }
        return result
    }

    private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "." || scalar == "-" || scalar.properties.isAlphabetic
            || ("0"..."9").contains(scalar)
    }
}
